package dev.muster.platform.http;

import dev.muster.platform.problem.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/**
 * Allows pages of the origins in {@code CORS_ORIGINS}.
 *
 * <p>The setting takes no {@code *}, so credentials are allowed only to origins that an operator
 * has listed.
 */
@Configuration(proxyBeanMethods = false)
class CorsFilterConfiguration {

  @Bean
  FilterRegistrationBean<CorsFilter> corsFilter(AllowedOrigins origins, ProblemWriter problems) {
    UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
    if (!origins.allowed().isEmpty()) {
      CorsConfiguration allowed = new CorsConfiguration();
      allowed.setAllowedOrigins(origins.allowed());
      // canvases send requests with credentials; the cookie of a session is of no use to them
      allowed.setAllowCredentials(true);
      allowed.addAllowedMethod(CorsConfiguration.ALL);
      allowed.addAllowedHeader(CorsConfiguration.ALL);
      allowed.setExposedHeaders(
          List.of(
              "Link",
              "Retry-After",
              "X-Request-ID",
              NameWarnings.HEADER,
              "X-RateLimit-Limit",
              "X-RateLimit-Remaining",
              "X-RateLimit-Reset"));
      source.registerCorsConfiguration("/**", allowed);
    }
    CorsFilter filter = new CorsFilter(source);
    filter.setCorsProcessor(new ProblemCorsProcessor(origins, problems));
    FilterRegistrationBean<CorsFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 20);
    return registration;
  }

  /**
   * Sends CORS headers to listed origins only.
   *
   * <p>Pages of other origins get none, so that browsers hide the response from them. Their
   * preflight requests are refused.
   */
  private static final class ProblemCorsProcessor extends DefaultCorsProcessor {

    private final AllowedOrigins origins;
    private final ProblemWriter problems;

    ProblemCorsProcessor(AllowedOrigins origins, ProblemWriter problems) {
      this.origins = origins;
      this.problems = problems;
    }

    @Override
    public boolean processRequest(
        @Nullable CorsConfiguration configuration,
        HttpServletRequest request,
        HttpServletResponse response)
        throws IOException {
      @Nullable String origin = request.getHeader(HttpHeaders.ORIGIN);
      if (origin != null && origins.isListed(origin)) {
        return super.processRequest(configuration, request, response);
      }
      if (configuration != null) {
        response.addHeader(HttpHeaders.VARY, HttpHeaders.ORIGIN);
      }
      if (origin != null
          && CorsUtils.isPreFlightRequest(request)
          && !origins.isOwn(origin, request)) {
        problems.write(Problem.of(AllowedOrigins.refusal()), response);
        return false;
      }
      return true;
    }
  }
}
