package dev.muster.platform.http;

import dev.muster.platform.problem.Problem;
import java.io.IOException;
import java.util.List;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import tools.jackson.databind.json.JsonMapper;

/** Lets pages of other origins in, as far as {@code CORS_ORIGINS} names them. */
@Configuration(proxyBeanMethods = false)
class CorsFilterConfiguration {

  @Bean
  FilterRegistrationBean<CorsFilter> corsFilter(Origins origins, JsonMapper json) {
    UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
    if (!origins.allowed().isEmpty()) {
      CorsConfiguration allowed = new CorsConfiguration();
      allowed.setAllowedOrigins(origins.allowed());
      allowed.addAllowedMethod(CorsConfiguration.ALL);
      allowed.addAllowedHeader(CorsConfiguration.ALL);
      allowed.setExposedHeaders(List.of("Link", "Retry-After"));
      source.registerCorsConfiguration("/**", allowed);
    }
    CorsFilter filter = new CorsFilter(source);
    filter.setCorsProcessor(new ProblemCorsProcessor(json));
    FilterRegistrationBean<CorsFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 20);
    return registration;
  }

  private static final class ProblemCorsProcessor extends DefaultCorsProcessor {

    private final JsonMapper json;

    ProblemCorsProcessor(JsonMapper json) {
      this.json = json;
    }

    @Override
    protected void rejectRequest(ServerHttpResponse response) throws IOException {
      Problem problem = Problem.of(Origins.refusal());
      response.setStatusCode(HttpStatus.FORBIDDEN);
      response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
      response.getBody().write(json.writeValueAsBytes(problem.body()));
      response.flush();
    }
  }
}
