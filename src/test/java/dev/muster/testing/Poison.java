package dev.muster.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.muster.platform.loop.FailingUnits;
import dev.muster.testing.TestDatabases.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * Lets the database refuse what one unit of a loop needs, until it is closed, and collects what
 * servers log and count about units that fail.
 */
public final class Poison implements AutoCloseable {

  private static final class Lines extends AppenderBase<ILoggingEvent> {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      lines.add(event.getLevel() + " " + event.getFormattedMessage());
    }
  }

  private final Logger logger = (Logger) LoggerFactory.getLogger(FailingUnits.class);
  private final Lines heard = new Lines();
  private final TestServer server;
  private final String loop;
  private final double failuresBefore;
  private final Runnable cure;

  private Poison(TestServer server, String loop, Runnable cure) {
    this.server = server;
    this.loop = loop;
    this.cure = cure;
    this.failuresBefore = failures();
    heard.setContext(logger.getLoggerContext());
    heard.start();
    logger.addAppender(heard);
  }

  /** Listens to what the server says about the units of a loop. */
  public static Poison of(TestServer server, String loop) {
    return new Poison(server, loop, () -> {});
  }

  /** Refuses each row that a statement writes to the table, if it does not meet the condition. */
  public static Poison check(TestServer server, String loop, String table, String condition) {
    TestDatabase database = server.database();
    Poison poison =
        new Poison(
            server,
            loop,
            () -> database.execute("ALTER TABLE " + table + " DROP CONSTRAINT poison"));
    database.execute(
        "ALTER TABLE %s ADD CONSTRAINT poison CHECK (%s) NOT VALID".formatted(table, condition));
    return poison;
  }

  /** Returns the lines about a unit whose name contains this. */
  public List<String> lines(String unit) {
    return heard.lines.stream().filter(line -> line.contains(unit)).toList();
  }

  /** Returns how many failures were counted since the begin. */
  public double counted() {
    return failures() - failuresBefore;
  }

  private double failures() {
    return server.bean(MeterRegistry.class).counter("muster.units.failed", "loop", loop).count();
  }

  @Override
  public void close() {
    logger.detachAppender(heard);
    cure.run();
  }
}
