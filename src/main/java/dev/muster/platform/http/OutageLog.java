package dev.muster.platform.http;

import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.problem.Outage;
import dev.muster.platform.text.Redaction;
import org.slf4j.event.Level;

/** Tells the log of a database that cannot answer, once a second however many requests meet it. */
final class OutageLog {

  private static final LimitedLog log = new LimitedLog(OutageLog.class);

  private OutageLog() {}

  static void tell(Throwable outage) {
    String reason = String.valueOf(outage.getMessage()).lines().findFirst().orElse("");
    log.log(
        Level.WARN,
        "the database cannot answer; refused a request: {} [{}]",
        Redaction.redact(reason),
        Outage.sqlState(outage));
  }
}
