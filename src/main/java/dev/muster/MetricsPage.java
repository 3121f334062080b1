package dev.muster;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The metrics as Prometheus reads them, made at most once a second: to make them costs thousands of
 * times what it costs to ask for them.
 */
@Component
class MetricsPage {

  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** One more series for each route and outcome, which says little: held polls are the longest. */
  private static final Pattern MAX_REQUESTS =
      Pattern.compile("(# [A-Z]+ )?http_server_requests_seconds_max\\b");

  private final PrometheusMeterRegistry metrics;
  private byte @Nullable [] page;
  private long madeAtNanos;

  MetricsPage(PrometheusMeterRegistry metrics) {
    this.metrics = metrics;
  }

  /** Who asks while it is being made waits for that one. */
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
