package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.Problem;
import dev.muster.platform.settings.Settings;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

  private static final String ORIGIN = "https?://[A-Za-z0-9.\\-\\[\\]:]+";

  @Bean
  FilterRegistrationBean<CorsFilter> corsFilter(Settings settings, JsonMapper json) {
    List<String> origins =
        settings.security("CORS_ORIGINS", List.of(), CorsFilterConfiguration::origins);
    UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
    if (!origins.isEmpty()) {
      CorsConfiguration allowed = new CorsConfiguration();
      allowed.setAllowedOrigins(origins);
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

  private static List<String> origins(String setting) {
    List<String> origins = Arrays.stream(setting.split(",", -1)).map(String::strip).toList();
    if (!origins.stream().allMatch(origin -> origin.matches(ORIGIN))) {
      throw new IllegalArgumentException(
          "expected origins such as https://canvas.example, with commas between");
    }
    return origins;
  }

  private static final class ProblemCorsProcessor extends DefaultCorsProcessor {

    private final JsonMapper json;

    ProblemCorsProcessor(JsonMapper json) {
      this.json = json;
    }

    @Override
    protected void rejectRequest(ServerHttpResponse response) throws IOException {
      Problem problem =
          new Problem(ErrorCode.FORBIDDEN, "this origin is not one of CORS_ORIGINS", Map.of());
      response.setStatusCode(HttpStatus.FORBIDDEN);
      response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
      response.getBody().write(json.writeValueAsBytes(problem.body()));
      response.flush();
    }
  }
}
