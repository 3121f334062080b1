package dev.muster.identity;

import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Passes the {@link Caller} that the interceptor admitted to controller parameters. */
@Component
final class CallerArgumentResolver implements HandlerMethodArgumentResolver {

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
