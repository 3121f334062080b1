package dev.muster.platform.http;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.muster.platform.http.OperationNames.Operation;
import dev.muster.platform.settings.Misspelling;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.Text;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import tools.jackson.databind.JsonNode;

/**
 * Warns callers of probably misspelled fields and query parameters (docs/api.md, section 12).
 *
 * <p>A warning names an unknown name that resembles a known name of the same operation. The name
 * stays ignored (R0.1). The response has a header for each of the first three. The log has their
 * number once a minute.
 *
 * <p>A known name costs one set lookup; any other name is compared once and cached. Only the top
 * level of a body is checked, never the inside of cards, messages or metadata.
 */
@Component
public final class NameWarnings implements HandlerInterceptor {

  /** The header of warnings; a response may have several. */
  public static final String HEADER = "X-Muster-Warning";

  private static final Logger log = LoggerFactory.getLogger(NameWarnings.class);
  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final int MAX_WARNINGS = 3;
  private static final int MAX_NAME_LENGTH = 64;

  /** The unknown names checked per body or query; the rest get no warning. */
  private static final int MAX_UNKNOWN = 64;

  private final Map<String, Map<String, Known>> byPath = new HashMap<>();
  private final LongAdder suppressed = new LongAdder();
  private final BackgroundLoop loop;

  /** The known names of one operation. */
  private record Known(Names fields, Names parameters) {}

  NameWarnings(OperationNames operations, BackgroundLoops loops) {
    for (Operation operation : operations.all()) {
      byPath
          .computeIfAbsent(operation.path(), path -> new HashMap<>())
          .put(
              operation.method(),
              new Known(
                  new Names("field", operation.fields()),
                  new Names("query parameter", operation.parameters())));
    }
    this.loop = loops.start("name-warnings", LOG_INTERVAL, this::logSuppressed);
  }

  /** Checks the query parameters, after authentication. */
  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    @Nullable String query = request.getQueryString();
    if (query != null && request.getDispatcherType() == DispatcherType.REQUEST) {
      @Nullable Known known = known(request);
      if (known != null && !known.parameters().isEmpty()) {
        warn(known.parameters(), parameters(query), response);
      }
    }
    return true;
  }

  /** Parses a body like {@link JsonBody#parse} and checks its fields. */
  public JsonBody parse(byte[] utf8, HttpServletRequest request, HttpServletResponse response) {
    JsonBody body = JsonBody.parse(utf8);
    look(body.names(), request, response);
    return body;
  }

  /** Checks the fields of a JSON object, or of each object in an array. */
  public void look(JsonNode body, HttpServletRequest request, HttpServletResponse response) {
    if (body.isObject()) {
      look(body.propertyNames(), request, response);
    } else if (body.isArray()) {
      body.forEach(one -> look(one.propertyNames(), request, response));
    }
  }

  private void look(
      Collection<String> names, HttpServletRequest request, HttpServletResponse response) {
    @Nullable Known known = known(request);
    if (known != null && !known.fields().isEmpty()) {
      warn(known.fields(), names, response);
    }
  }

  /** Returns the names of the request's operation; null if the API description lacks it. */
  private @Nullable Known known(HttpServletRequest request) {
    Object path = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    @Nullable Map<String, Known> methods =
        byPath.get(path == null ? request.getServletPath() : path.toString());
    String method = request.getMethod();
    return methods == null ? null : methods.get(method.equals("HEAD") ? "GET" : method);
  }

  /** Returns the parameter names of the query only; names with an invalid encoding are skipped. */
  private static List<String> parameters(String query) {
    return List.of(query.split("&")).stream()
        .map(parameter -> decoded(parameter.split("=", 2)[0]))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<String> decoded(String name) {
    try {
      return Optional.of(URLDecoder.decode(name, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException notEncoded) {
      return Optional.empty();
    }
  }

  private void warn(Names known, Collection<String> names, HttpServletResponse response) {
    int unknown = 0;
    for (String name : names) {
      if (known.has(name)) {
        continue;
      }
      if (++unknown > MAX_UNKNOWN) {
        return;
      }
      known.meant(name).ifPresent(meant -> add(known.warning(name, meant), response));
    }
  }

  private void add(String warning, HttpServletResponse response) {
    Collection<String> before = response.getHeaders(HEADER);
    if (!before.contains(warning)) {
      suppressed.increment();
      if (before.size() < MAX_WARNINGS) {
        response.addHeader(HEADER, warning);
      }
    }
  }

  /** Logs the number of warnings, unless it is 0. */
  void logSuppressed() {
    long number = suppressed.sumThenReset();
    if (number > 0) {
      log.info(
          "ignored {} unknown fields and query parameters that resemble known ones (the answers"
              + " name them, in {})",
          number,
          HEADER);
    }
  }

  @PreDestroy
  void close() {
    loop.close();
    logSuppressed();
  }

  /** Holds the known names of one kind and caches the results for others. */
  private static final class Names {

    /** A bound, so that clients cannot fill the memory. */
    private static final int MAX_REMEMBERED = 256;

    private final String kind;
    private final Set<String> known;
    private final LoadingCache<String, Optional<String>> compared;
    private final int longest;

    Names(String kind, Set<String> known) {
      this.kind = kind;
      this.known = known;
      this.compared =
          Caffeine.newBuilder()
              .maximumSize(MAX_REMEMBERED)
              .build(name -> Misspelling.nearest(name, known));
      this.longest = known.stream().mapToInt(String::length).max().orElse(0);
    }

    boolean isEmpty() {
      return known.isEmpty();
    }

    boolean has(String name) {
      return known.contains(name);
    }

    /** Returns the known name that most resembles {@code name}; empty if none is near. */
    Optional<String> meant(String name) {
      return name.length() > longest + Misspelling.MAX_EDITS
          ? Optional.empty()
          : compared.get(name);
    }

    String warning(String name, String meant) {
      return "unknown %s \"%s\", did you mean \"%s\"?".formatted(kind, printable(name), meant);
    }

    /** Replaces each character that a header cannot carry by {@code ?}. */
    private static String printable(String name) {
      return Text.cut(name, MAX_NAME_LENGTH)
          .codePoints()
          .map(c -> c >= ' ' && c <= '~' ? c : '?')
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();
    }
  }
}
