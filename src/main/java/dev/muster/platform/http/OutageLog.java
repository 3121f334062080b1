package dev.muster.platform.http;

import dev.muster.platform.problem.Outage;
import dev.muster.platform.text.Redaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log of a database that cannot answer, once a second however many requests meet it. */
final class OutageLog {

  private static final Logger log = LoggerFactory.getLogger(OutageLog.class);
  private static final LoggedCount refused = new LoggedCount();

  private OutageLog() {}

  static void tell(Throwable outage) {
    int count = refused.countOne();
    if (count > 0) {
      String reason = String.valueOf(outage.getMessage()).lines().findFirst().orElse("");
      log.warn(
          "the database cannot answer; refused {} requests: {} [{}]",
          count,
          Redaction.redact(reason),
          Outage.sqlState(outage));
    }
  }
}
