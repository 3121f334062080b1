package dev.muster;

import dev.muster.identity.RateLimitBucket;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What load balancers, orchestrators and Prometheus ask (contract, section 11). */
@RestController
class ProcessController {

  private static final String ANSWERS_AND_IS_MIGRATED = "SELECT count(*) FROM event_head";

  /** With its version: newer Prometheus wants to be told what it reads. */
  private static final MediaType PROMETHEUS_TEXT =
      MediaType.parseMediaType("text/plain;version=0.0.4;charset=utf-8");

  private final JdbcClient db;
  private final MetricsPage metrics;

  ProcessController(JdbcClient db, MetricsPage metrics) {
    this.db = db;
    this.metrics = metrics;
  }

  /** The process is up; also at the path that probes of Spring applications ask. */
  @GetMapping({"/health", "/actuator/health/liveness"})
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.NONE)
  Map<String, String> health() {
    return Map.of("status", "ok");
  }

  /** The database answers and has our schema; else 503; at two paths, as above. */
  @GetMapping({"/ready", "/actuator/health"})
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.NONE)
  Map<String, String> ready() {
    db.sql(ANSWERS_AND_IS_MIGRATED).query(Long.class).single();
    return Map.of("status", "ok");
  }

  /** By its own name, and by that which Spring's users know. */
  @GetMapping({"/metrics", "/actuator/prometheus"})
  @RouteAccess(CallerKind.PUBLIC)
  ResponseEntity<byte[]> metrics() {
    return ResponseEntity.ok().contentType(PROMETHEUS_TEXT).body(metrics.bytes());
  }
}
