package dev.muster.webhook;

import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.Pace;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Runs the webhook on a loop of its own; without {@code WEBHOOK_URL} it does nothing.
 *
 * <p>A receiver that is slow delays the webhook only.
 */
@Component
class Webhook {

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  private final WebhookCollector collector;
  private final WebhookSender sender;
  private final @Nullable BackgroundLoop loop;
  private boolean begun;
  private volatile boolean closed;

  Webhook(
      WebhookSettings settings,
      WebhookCollector collector,
      WebhookSender sender,
      Pace pace,
      BackgroundLoops loops) {
    this.collector = collector;
    this.sender = sender;
    this.loop =
        settings.url().isPresent() ? loops.start("webhook", pace.of(INTERVAL), this::run) : null;
  }

  private void run() {
    if (!begun) {
      collector.begin();
      begun = true;
    }
    while (!closed && step()) {
      // the next events or notification
    }
    sender.requireTaken();
  }

  /**
   * Collects before each attempt, since an attempt may take 10 s; and all events before the first,
   * since until then no trouble is known to last. Returns whether there may be more to do.
   */
  private boolean step() {
    return collector.collect() || (!closed && sender.sendNext());
  }

  @PreDestroy
  void close() {
    closed = true;
    sender.cancel();
    if (loop != null) {
      loop.close();
    }
  }
}
