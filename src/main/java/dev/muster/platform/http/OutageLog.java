package dev.muster.platform.http;

import dev.muster.platform.problem.Outage;
import dev.muster.platform.text.Redaction;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log of a database that cannot answer, once a second however many requests meet it. */
final class OutageLog {

  private static final Logger log = LoggerFactory.getLogger(OutageLog.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final AtomicLong toldAt = new AtomicLong(System.nanoTime() - PAUSE.toNanos());
  private static final AtomicInteger sinceThen = new AtomicInteger();

  private OutageLog() {}

  static void tell(Throwable outage) {
    sinceThen.incrementAndGet();
    long last = toldAt.get();
    long now = System.nanoTime();
    if (now - last >= PAUSE.toNanos() && toldAt.compareAndSet(last, now)) {
      String reason = String.valueOf(outage.getMessage()).lines().findFirst().orElse("");
      log.warn(
          "the database cannot answer; refused {} requests: {} [{}]",
          sinceThen.getAndSet(0),
          Redaction.redact(reason),
          Outage.sqlState(outage));
    }
  }
}
