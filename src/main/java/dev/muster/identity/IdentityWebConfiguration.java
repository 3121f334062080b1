package dev.muster.identity;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
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

  /** Passes the {@link Caller} that the interceptor admitted to controller parameters. */
  private static final class CallerArgumentResolver implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return parameter.getParameterType() == Caller.class;
    }

    @Override
    public Caller resolveArgument(
        MethodParameter parameter,
        @Nullable ModelAndViewContainer container,
        NativeWebRequest request,
        @Nullable WebDataBinderFactory binders) {
      Object caller =
          request.getAttribute(CredentialInterceptor.CALLER, RequestAttributes.SCOPE_REQUEST);
      if (caller instanceof Caller known) {
        return known;
      }
      throw new IllegalStateException(
          "a route without credentials has a parameter for the caller: " + parameter.getMethod());
    }
  }

  private final CredentialInterceptor credentials;

  IdentityWebConfiguration(CredentialInterceptor credentials) {
    this.credentials = credentials;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(credentials).excludePathPatterns("/error").excludePathPatterns(MANUAL);
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new CallerArgumentResolver());
  }
}
