package dev.muster.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.muster.platform.work.FailingUnits;
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
  private final MeterRegistry metrics;
  private final String loop;
  private final double failuresBefore;
  private final Runnable cure;

  private Poison(MeterRegistry metrics, String loop, Runnable cure) {
    this.metrics = metrics;
    this.loop = loop;
    this.cure = cure;
    this.failuresBefore = failures();
    heard.setContext(logger.getLoggerContext());
    heard.start();
    logger.addAppender(heard);
  }

  /** Listens to what the server says about the units of a loop. */
  public static Poison of(TestServer server, String loop) {
    return new Poison(server.bean(MeterRegistry.class), loop, () -> {});
  }

  /** Refuses each row that a statement writes to the table, if it does not meet the condition. */
  public static Poison check(TestServer server, String loop, String table, String condition) {
    return check(server.database(), server.bean(MeterRegistry.class), loop, table, condition);
  }

  /**
   * As {@link #check(TestServer, String, String, String)}, for a part that runs without a server.
   */
  public static Poison check(
      TestDatabase database, MeterRegistry metrics, String loop, String table, String condition) {
    database.execute(
        "ALTER TABLE %s ADD CONSTRAINT poison CHECK (%s) NOT VALID".formatted(table, condition));
    return new Poison(
        metrics, loop, () -> database.execute("ALTER TABLE " + table + " DROP CONSTRAINT poison"));
  }

  /**
   * Refuses to delete the rows of the table that meet the condition, which calls them {@code old}.
   */
  public static Poison deletion(TestServer server, String loop, String table, String condition) {
    TestDatabase database = server.database();
    database.execute(
        """
        CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'poison' USING ERRCODE = 'check_violation'; END $$;
        CREATE TRIGGER poison BEFORE DELETE ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION poison()
        """
            .formatted(table, condition));
    return new Poison(
        server.bean(MeterRegistry.class),
        loop,
        () -> database.execute("DROP FUNCTION poison() CASCADE"));
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
    return metrics.counter("muster.units.failed", "loop", loop).count();
  }

  @Override
  public void close() {
    logger.detachAppender(heard);
    cure.run();
  }
}
