package dev.muster.platform.http;

import java.util.List;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.ContentNegotiationConfigurer;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Registers what all controllers share: {@link JsonBody} arguments, interceptors and JSON
 * responses.
 *
 * <p>Responses are JSON, whatever the client accepts.
 */
@Configuration(proxyBeanMethods = false)
class WebConfiguration implements WebMvcConfigurer {

  private final JsonBodyResolver bodies;
  private final BodilessRouteLimit bodiless;
  private final NameWarnings names;

  WebConfiguration(JsonBodyResolver bodies, BodilessRouteLimit bodiless, NameWarnings names) {
    this.bodies = bodies;
    this.bodiless = bodiless;
    this.names = names;
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(bodies);
  }

  /** Runs these interceptors after the credential check (order of R1.4). */
  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(bodiless).order(Ordered.LOWEST_PRECEDENCE);
    registry.addInterceptor(names).order(Ordered.LOWEST_PRECEDENCE);
  }

  @Override
  public void configureContentNegotiation(ContentNegotiationConfigurer negotiation) {
    negotiation.ignoreAcceptHeader(true).defaultContentType(MediaType.APPLICATION_JSON);
  }
}
