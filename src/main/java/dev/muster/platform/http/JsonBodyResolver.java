package dev.muster.platform.http;

import dev.muster.platform.json.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Passes the request's body to controllers as a {@link JsonBody}, whatever its content type. A
 * parameter that is {@code @Nullable} is null for an empty body.
 */
@Component
final class JsonBodyResolver implements HandlerMethodArgumentResolver {

  private final BodyReader reader;
  private final NameWarnings names;

  JsonBodyResolver(BodyReader reader, NameWarnings names) {
    this.reader = reader;
    this.names = names;
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == JsonBody.class;
  }

  @Override
  public @Nullable JsonBody resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders)
      throws IOException {
    HttpServletRequest http =
        Objects.requireNonNull(request.getNativeRequest(HttpServletRequest.class));
    HttpServletResponse response =
        Objects.requireNonNull(request.getNativeResponse(HttpServletResponse.class));
    byte[] body = reader.read(http, BodyReader.DEFAULT_LIMIT);
    boolean isMissing = body.length == 0 && parameter.isOptional();
    return isMissing ? null : names.parse(body, http, response);
  }
}
