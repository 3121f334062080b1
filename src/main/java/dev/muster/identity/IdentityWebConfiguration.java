package dev.muster.identity;

import java.util.List;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Puts the credential check before every controller. */
@Configuration(proxyBeanMethods = false)
class IdentityWebConfiguration implements WebMvcConfigurer {

  private final CredentialInterceptor credentials;
  private final CallerResolver callers;

  IdentityWebConfiguration(CredentialInterceptor credentials, CallerResolver callers) {
    this.credentials = credentials;
    this.callers = callers;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(credentials).excludePathPatterns("/error");
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(callers);
  }
}
