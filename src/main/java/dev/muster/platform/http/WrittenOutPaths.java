package dev.muster.platform.http;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.webmvc.autoconfigure.WebMvcRegistrations;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * A path that a route writes out is no value of another route's variable, as in OpenAPI.
 *
 * <p>So {@code .../activity/ack} has the method of that route alone, and is no {@code
 * .../activity/{activityId}}: another method is 405, and {@code Allow} does not name it.
 */
@Component
final class WrittenOutPaths implements WebMvcRegistrations {

  @Override
  public RequestMappingHandlerMapping getRequestMappingHandlerMapping() {
    return new Mapping();
  }

  private static final class Mapping extends RequestMappingHandlerMapping {

    /**
     * By the pattern of a route: patterns of other routes that write out what it has variables for.
     */
    private Map<String, List<PathPattern>> writtenOut = Map.of();

    @Override
    protected void handlerMethodsInitialized(Map<RequestMappingInfo, HandlerMethod> methods) {
      super.handlerMethodsInitialized(methods);
      List<PathPattern> all =
          methods.keySet().stream().flatMap(info -> patterns(info).stream()).distinct().toList();
      writtenOut =
          all.stream()
              .collect(
                  Collectors.toMap(
                      PathPattern::getPatternString,
                      general -> all.stream().filter(one -> isWrittenOut(one, general)).toList()));
    }

    private static Set<PathPattern> patterns(RequestMappingInfo info) {
      return Objects.requireNonNull(info.getPathPatternsCondition()).getPatterns();
    }

    private static boolean isWrittenOut(PathPattern one, PathPattern general) {
      return !one.equals(general)
          && PathPattern.SPECIFICITY_COMPARATOR.compare(one, general) < 0
          && general.matches(PathContainer.parsePath(one.getPatternString()));
    }

    @Override
    protected @Nullable HandlerMethod lookupHandlerMethod(
        String lookupPath, HttpServletRequest request) throws Exception {
      HandlerMethod found = super.lookupHandlerMethod(lookupPath, request);
      Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
      return found == null || !isWrittenOut(String.valueOf(pattern), request)
          ? found
          : handleNoMatch(getHandlerMethods().keySet(), lookupPath, request);
    }

    @Override
    protected @Nullable HandlerMethod handleNoMatch(
        Set<RequestMappingInfo> infos, String lookupPath, HttpServletRequest request)
        throws ServletException {
      Set<RequestMappingInfo> specific =
          infos.stream()
              .filter(info ->
                  patterns(info).stream()
                      .noneMatch(pattern -> isWrittenOut(pattern.getPatternString(), request)))
              .collect(Collectors.toSet());
      return super.handleNoMatch(specific, lookupPath, request);
    }

    /** Whether another route writes out the path of a request that matches this pattern. */
    private boolean isWrittenOut(String pattern, HttpServletRequest request) {
      RequestPath path = ServletRequestPathUtils.getParsedRequestPath(request);
      return writtenOut.getOrDefault(pattern, List.of()).stream()
          .anyMatch(one -> one.matches(path.pathWithinApplication()));
    }
  }
}
