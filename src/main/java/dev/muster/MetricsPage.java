package dev.muster;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Renders the metrics for Prometheus at most once per second. Rendering costs thousands of times
 * more than the request for it.
 */
@Component
class MetricsPage {

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
