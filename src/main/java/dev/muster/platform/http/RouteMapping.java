package dev.muster.platform.http;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
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
 * Finds the route of a request.
 *
 * <p>A path that a route writes out is no value of another route's variable, as in OpenAPI.
 *
 * <p>So {@code .../activity/ack} has the method of that route alone, and is no {@code
 * .../activity/{activityId}}: another method is 405, and {@code Allow} does not name it.
 */
@Component
final class RouteMapping implements WebMvcRegistrations {

  @Override
  public RequestMappingHandlerMapping getRequestMappingHandlerMapping() {
    return new Mapping();
  }

  private static final class Mapping extends RequestMappingHandlerMapping {

    /**
     * By the pattern of a route: patterns of other routes that write out what it has variables for.
     */
    private Map<String, List<PathPattern>> writtenOut = Map.of();

    /** The routes whose path has a fixed number of parts, by that number. */
    private Map<Integer, List<Route>> routes = Map.of();

    /**
     * A route.
     *
     * @param parts what its path writes out, separators too; null for a variable
     */
    private record Route(
        RequestMappingInfo info, HandlerMethod method, List<@Nullable String> parts) {

      boolean mayMatch(List<PathContainer.Element> path) {
        for (int i = 0; i < parts.size(); i++) {
          @Nullable String part = parts.get(i);
          if (part != null && !part.equals(valueOf(path.get(i)))) {
            return false;
          }
        }
        return true;
      }

      private static String valueOf(PathContainer.Element element) {
        return element instanceof PathContainer.PathSegment segment
            ? segment.valueToMatch()
            : element.value();
      }
    }

    @Override
    protected void handlerMethodsInitialized(Map<RequestMappingInfo, HandlerMethod> methods) {
      super.handlerMethodsInitialized(methods);
      List<PathPattern> all =
          methods.keySet().stream().flatMap(info -> patterns(info).stream()).distinct().toList();
      routes =
          methods.entrySet().stream()
              .flatMap(entry ->
                  patterns(entry.getKey()).stream()
                      .map(PathPattern::getPatternString)
                      .filter(pattern -> !pattern.contains("*"))
                      .map(
                          pattern -> new Route(entry.getKey(), entry.getValue(), partsOf(pattern))))
              .collect(Collectors.groupingBy(route -> route.parts().size()));
      writtenOut =
          all.stream()
              .collect(
                  Collectors.toMap(
                      PathPattern::getPatternString,
                      general -> all.stream().filter(one -> isWrittenOut(one, general)).toList()));
    }

    private static List<@Nullable String> partsOf(String pattern) {
      List<@Nullable String> parts = new ArrayList<>();
      PathContainer.parsePath(pattern)
          .elements()
          .forEach(part -> parts.add(part.value().contains("{") ? null : part.value()));
      return parts;
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
      @Nullable HandlerMethod only = onlyOneFor(lookupPath, request);
      HandlerMethod found = only == null ? super.lookupHandlerMethod(lookupPath, request) : only;
      Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
      return found == null || !isWrittenOut(String.valueOf(pattern), request)
          ? found
          : handleNoMatch(getHandlerMethods().keySet(), lookupPath, request);
    }

    /**
     * Finds the route among those with as many parts as the path. Returns null when none matches,
     * or several do: the framework decides then.
     */
    private @Nullable HandlerMethod onlyOneFor(String lookupPath, HttpServletRequest request) {
      List<PathContainer.Element> path =
          ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication().elements();
      @Nullable Route found = null;
      @Nullable RequestMappingInfo match = null;
      for (Route route : routes.getOrDefault(path.size(), List.of())) {
        @Nullable RequestMappingInfo matched =
            route.mayMatch(path) ? getMatchingMapping(route.info(), request) : null;
        if (matched != null) {
          if (found != null) {
            return null;
          }
          found = route;
          match = matched;
        }
      }
      if (found == null || match == null) {
        return null;
      }
      request.setAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE, found.method());
      handleMatch(match, lookupPath, request);
      return found.method();
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
