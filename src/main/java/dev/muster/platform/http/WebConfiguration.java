package dev.muster.platform.http;

import dev.muster.platform.text.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;
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

  /**
   * Passes the request's body to controllers as a {@link JsonBody}, whatever its content type. A
   * parameter that is {@code @Nullable} is null for an empty body.
   */
  private static final class JsonBodyResolver implements HandlerMethodArgumentResolver {

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

  /**
   * Applies the default body limit to routes that read no body (R0.7).
   *
   * <p>The other routes apply their limit when they read.
   */
  private static final class BodilessRouteLimit implements HandlerInterceptor {

    private final BodyReader bodies;

    BodilessRouteLimit(BodyReader bodies) {
      this.bodies = bodies;
    }

    @Override
    public boolean preHandle(
        HttpServletRequest request, HttpServletResponse response, Object handler)
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

  private final BodyReader bodies;
  private final NameWarnings names;

  WebConfiguration(BodyReader bodies, NameWarnings names) {
    this.bodies = bodies;
    this.names = names;
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new JsonBodyResolver(bodies, names));
  }

  /** Runs these interceptors after the credential check (order of R1.4). */
  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(new BodilessRouteLimit(bodies)).order(Ordered.LOWEST_PRECEDENCE);
    registry.addInterceptor(names).order(Ordered.LOWEST_PRECEDENCE);
  }

  @Override
  public void configureContentNegotiation(ContentNegotiationConfigurer negotiation) {
    negotiation.ignoreAcceptHeader(true).defaultContentType(MediaType.APPLICATION_JSON);
  }
}
