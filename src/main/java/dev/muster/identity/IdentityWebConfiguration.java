package dev.muster.identity;

import java.util.List;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Registers the credential check in front of every controller. */
@Configuration(proxyBeanMethods = false)
class IdentityWebConfiguration implements WebMvcConfigurer {

  /** The OpenAPI description and its page, open to every caller. */
  private static final List<String> MANUAL =
      List.of(
          "/v3/api-docs",
          "/v3/api-docs.yaml",
          "/v3/api-docs/swagger-config",
          "/swagger-ui.html",
          "/swagger-ui/*");

  private final CredentialInterceptor credentials;
  private final CallerArgumentResolver callers;

  IdentityWebConfiguration(CredentialInterceptor credentials, CallerArgumentResolver callers) {
    this.credentials = credentials;
    this.callers = callers;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(credentials).excludePathPatterns("/error").excludePathPatterns(MANUAL);
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(callers);
  }
}
