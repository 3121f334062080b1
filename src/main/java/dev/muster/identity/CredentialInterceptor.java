package dev.muster.identity;

import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Admits a request to its controller only with a credential that the route accepts.
 *
 * <p>It runs after routing, so an unknown path is a 404 for every caller. It runs before the body
 * is read (R1.4's order), and counts the request against its rate limit. A route without {@link
 * RouteAccess} requires a live credential.
 *
 * <p>It registers itself in front of every controller.
 */
@Component
final class CredentialInterceptor implements HandlerInterceptor, WebMvcConfigurer {

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
      return RequestAuthentication.callerOf(
          Objects.requireNonNull(request.getNativeRequest(HttpServletRequest.class)));
    }
  }

  private final RequestAuthentication authentication;

  CredentialInterceptor(RequestAuthentication authentication) {
    this.authentication = authentication;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(this).excludePathPatterns("/error").excludePathPatterns(MANUAL);
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new CallerArgumentResolver());
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (request.getDispatcherType() == DispatcherType.ASYNC) {
      return true; // admitted in its first dispatch
    }
    HandlerMethod route = route(handler);
    Set<CallerKind> admitted = admitted(route);
    RateLimitBucket limit = limit(route);
    if (admitted.contains(CallerKind.PUBLIC)) {
      authentication.admitAll(request, response, limit);
    } else {
      Caller caller = authentication.admit(request, response, admitted, limit);
      requireReaderOfLists(caller, request);
    }
    return true;
  }

  /** Refuses agents before a parameter of an operator's list is read: 403 comes before its 400. */
  private static void requireReaderOfLists(Caller caller, HttpServletRequest request) {
    if (request.getMethod().equals("GET") && request.getRequestURI().startsWith("/admin/")) {
      AccessChecks.requireReader(caller);
    }
  }

  private static HandlerMethod route(Object handler) {
    if (handler instanceof HandlerMethod method) {
      return method;
    }
    // only controller methods are routes; any other handler is refused
    throw new ProblemException(ErrorCode.NOT_FOUND, "there is nothing at this path");
  }

  private static Set<CallerKind> admitted(HandlerMethod route) {
    RouteAccess access = route.getMethodAnnotation(RouteAccess.class);
    return access == null ? Set.of() : Set.of(access.value());
  }

  private static RateLimitBucket limit(HandlerMethod route) {
    RateLimitGroup counts = route.getMethodAnnotation(RateLimitGroup.class);
    return counts == null ? RateLimitBucket.GENERAL : counts.value();
  }
}
