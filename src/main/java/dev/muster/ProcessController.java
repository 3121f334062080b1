package dev.muster;

import dev.muster.event.Events;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves health, readiness and metrics (docs/api.md, section 11). */
@RestController
class ProcessController {

  /** Names the format version, which newer Prometheus versions expect. */
  private static final MediaType PROMETHEUS_TEXT =
      MediaType.parseMediaType("text/plain;version=0.0.4;charset=utf-8");

  private final Events events;
  private final MetricsPage metrics;

  ProcessController(Events events, PrometheusMeterRegistry metrics) {
    this.events = events;
    this.metrics = new MetricsPage(metrics);
  }

  /** Responds while the process is up. The second path is the one of Spring's liveness probe. */
  @GetMapping({"/health", "/actuator/health/liveness"})
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.NONE)
  Map<String, String> health() {
    return Map.of("status", "ok");
  }

  /** Responds 200 when the database is reachable and has Muster's schema, else 503. */
  @GetMapping({"/ready", "/actuator/health"})
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.NONE)
  Map<String, String> ready() {
    events.requireReadable();
    return Map.of("status", "ok");
  }

  /** Serves the metrics, also at Spring Boot's usual path. */
  @GetMapping({"/metrics", "/actuator/prometheus"})
  @RouteAccess(CallerKind.PUBLIC)
  ResponseEntity<byte[]> metrics() {
    return ResponseEntity.ok().contentType(PROMETHEUS_TEXT).body(metrics.bytes());
  }

  /**
   * Renders the metrics for Prometheus at most once per second. Rendering costs thousands of times
   * more than the request for it.
   */
  private static final class MetricsPage {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Matches the maximum durations: one series per route and outcome, dominated by long polls. */
    private static final Pattern MAX_REQUESTS =
        Pattern.compile("(# [A-Z]+ )?http_server_requests_seconds_max\\b");

    private final PrometheusMeterRegistry metrics;
    private byte @Nullable [] page;
    private long madeAtNanos;

    MetricsPage(PrometheusMeterRegistry metrics) {
      this.metrics = metrics;
    }

    /** Returns the page. Concurrent callers wait for one rendering and share it. */
    synchronized byte[] bytes() {
      byte[] made = page;
      if (made == null || System.nanoTime() - madeAtNanos >= FRESH_NANOS) {
        made = text();
        page = made;
        madeAtNanos = System.nanoTime();
      }
      return made;
    }

    private byte[] text() {
      return metrics
          .scrape()
          .lines()
          .filter(line -> !MAX_REQUESTS.matcher(line).lookingAt())
          .collect(Collectors.joining("\n", "", "\n"))
          .getBytes(StandardCharsets.UTF_8);
    }
  }
}
