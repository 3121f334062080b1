package dev.muster.platform.http;

import dev.muster.platform.json.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import org.springframework.core.MethodParameter;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Applies the default body limit to routes that read no body (R0.7).
 *
 * <p>The other routes apply their limit when they read.
 */
@Component
final class BodilessRouteLimit implements HandlerInterceptor {

  private final BodyReader bodies;

  BodilessRouteLimit(BodyReader bodies) {
    this.bodies = bodies;
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws IOException {
    boolean tooLarge = request.getContentLengthLong() > BodyReader.DEFAULT_LIMIT;
    if (tooLarge && handler instanceof HandlerMethod method && !readsItself(method)) {
      bodies.read(request, BodyReader.DEFAULT_LIMIT);
    }
    return true;
  }

  private static boolean readsItself(HandlerMethod method) {
    return Arrays.stream(method.getMethodParameters())
        .map(MethodParameter::getParameterType)
        .anyMatch(type -> type == JsonBody.class || type == HttpServletRequest.class);
  }
}
