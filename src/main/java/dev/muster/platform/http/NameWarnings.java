package dev.muster.platform.http;

import dev.muster.platform.json.JsonBody;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.platform.openapi.OperationNames;
import dev.muster.platform.openapi.OperationNames.Operation;
import dev.muster.platform.settings.Misspelling;
import dev.muster.platform.text.Text;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import tools.jackson.databind.JsonNode;

/**
 * Tells a caller of unknown fields and query parameters that are nearly known ones of the same call
 * (contract, section 12): they stay ignored (R0.1), and the answer has a header for each of the
 * first three. The log has their number once a minute.
 *
 * <p>A name that is known costs a look into a set, any other is compared once and remembered. Only
 * the top level of a body is looked at, never what is inside cards, messages or metadata.
 */
@Component
public final class NameWarnings implements HandlerInterceptor {

  static final String HEADER = "X-Muster-Warning";

  private static final Logger log = LoggerFactory.getLogger(NameWarnings.class);
  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final int MAX_WARNINGS = 3;
  private static final int MAX_NAME_LENGTH = 64;

  /** Of one body or query: whoever sends more names that nobody knows learns of no others. */
  private static final int MAX_UNKNOWN = 64;

  private final Map<String, Map<String, Known>> byPath = new HashMap<>();
  private final LongAdder suppressed = new LongAdder();
  private final BackgroundLoop loop;

  /** What an operation takes. */
  private record Known(Names fields, Names parameters) {}

  NameWarnings(OperationNames operations) {
    for (Operation operation : operations.all()) {
      byPath
          .computeIfAbsent(operation.path(), path -> new HashMap<>())
          .put(
              operation.method(),
              new Known(
                  new Names("field", operation.fields()),
                  new Names("query parameter", operation.parameters())));
    }
    this.loop = BackgroundLoop.start("name-warnings", LOG_INTERVAL, this::logSuppressed);
  }

  /** Looks at the query, once the caller is known. */
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

  /** Reads a body as {@link JsonBody#parse} does, and looks at its fields. */
  public JsonBody parse(byte[] utf8, HttpServletRequest request, HttpServletResponse response) {
    JsonBody body = JsonBody.parse(utf8);
    look(body.names(), request, response);
    return body;
  }

  /** Looks at the fields of a body that is a JSON object, or of each object of an array. */
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

  /** Null for what the description of the API does not have. */
  private @Nullable Known known(HttpServletRequest request) {
    Object path = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    @Nullable Map<String, Known> methods =
        byPath.get(path == null ? request.getServletPath() : path.toString());
    String method = request.getMethod();
    return methods == null ? null : methods.get(method.equals("HEAD") ? "GET" : method);
  }

  /** Of the query alone, also of a name that is not encoded well. */
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

  /** One line, unless there is nothing to count. */
  void logSuppressed() {
    long number = suppressed.sumThenReset();
    if (number > 0) {
      log.info(
          "ignored {} unknown fields and query parameters that are nearly known ones (the answers"
              + " say which, in {})",
          number,
          HEADER);
    }
  }

  @PreDestroy
  void close() {
    loop.close();
    logSuppressed();
  }

  /** The names of one kind that an operation knows, and what was found out about others. */
  private static final class Names {

    /** Then all is forgotten: strangers are not to fill the memory. */
    private static final int MAX_REMEMBERED = 256;

    private final String kind;
    private final Set<String> known;
    private final Map<String, Optional<String>> compared = new ConcurrentHashMap<>();
    private final int longest;

    Names(String kind, Set<String> known) {
      this.kind = kind;
      this.known = known;
      this.longest = known.stream().mapToInt(String::length).max().orElse(0);
    }

    boolean isEmpty() {
      return known.isEmpty();
    }

    boolean has(String name) {
      return known.contains(name);
    }

    /** The known name that an unknown one is probably meant to be. */
    Optional<String> meant(String name) {
      if (name.length() > longest + Misspelling.MAX_EDITS) {
        return Optional.empty();
      }
      if (compared.size() >= MAX_REMEMBERED) {
        compared.clear();
      }
      return compared.computeIfAbsent(name, one -> Misspelling.nearest(one, known));
    }

    String warning(String name, String meant) {
      return "unknown %s \"%s\", did you mean \"%s\"?".formatted(kind, printable(name), meant);
    }

    /** With {@code ?} for each character that a header cannot have. */
    private static String printable(String name) {
      return Text.cut(name, MAX_NAME_LENGTH)
          .codePoints()
          .map(c -> c >= ' ' && c <= '~' ? c : '?')
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();
    }
  }
}
