package dev.muster;

import dev.muster.event.Events;
import dev.muster.identity.RateLimitBucket;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import java.util.Map;
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

  ProcessController(Events events, MetricsPage metrics) {
    this.events = events;
    this.metrics = metrics;
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
}
