package dev.muster.platform.http;

import dev.muster.platform.problem.Problem;
import java.io.IOException;
import java.util.List;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/** Lets pages of other origins in, as far as {@code CORS_ORIGINS} names them. */
@Configuration(proxyBeanMethods = false)
class CorsFilterConfiguration {

  @Bean
  FilterRegistrationBean<CorsFilter> corsFilter(Origins origins, ProblemWriter problems) {
    UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
    if (!origins.allowed().isEmpty()) {
      CorsConfiguration allowed = new CorsConfiguration();
      allowed.setAllowedOrigins(origins.allowed());
      allowed.addAllowedMethod(CorsConfiguration.ALL);
      allowed.addAllowedHeader(CorsConfiguration.ALL);
      allowed.setExposedHeaders(
          List.of(
              "Link",
              "Retry-After",
              "X-Request-ID",
              "X-RateLimit-Limit",
              "X-RateLimit-Remaining",
              "X-RateLimit-Reset"));
      source.registerCorsConfiguration("/**", allowed);
    }
    CorsFilter filter = new CorsFilter(source);
    filter.setCorsProcessor(new ProblemCorsProcessor(problems));
    FilterRegistrationBean<CorsFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 20);
    return registration;
  }

  private static final class ProblemCorsProcessor extends DefaultCorsProcessor {

    private final ProblemWriter problems;

    ProblemCorsProcessor(ProblemWriter problems) {
      this.problems = problems;
    }

    @Override
    protected void rejectRequest(ServerHttpResponse response) throws IOException {
      problems.write(
          Problem.of(Origins.refusal()),
          ((ServletServerHttpResponse) response).getServletResponse());
      response.flush();
    }
  }
}
