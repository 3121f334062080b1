package dev.muster.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Collects what a class logs in the thread of a test, separate from servers of other tests. */
public final class OwnLog {

  private static final int MAX_TRIES = 5;

  private OwnLog() {}

  /**
   * Returns the lines that {@code logging} writes in {@code act}, each with its level before it.
   * Runs the act again when a server that starts at the same time has detached all appenders.
   */
  public static List<String> of(Class<?> logging, Runnable act) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Logger logger = (Logger) LoggerFactory.getLogger(logging);
      Listener listener = new Listener();
      listener.setContext(logger.getLoggerContext());
      listener.start();
      logger.addAppender(listener);
      boolean listened;
      try {
        act.run();
      } finally {
        listened = logger.detachAppender(listener);
      }
      if (listened) {
        return List.copyOf(listener.lines);
      }
    }
    throw new AssertionError("the appender was detached in every attempt");
  }

  private static final class Listener extends AppenderBase<ILoggingEvent> {

    private final Thread own = Thread.currentThread();
    private final List<String> lines = new ArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      if (Thread.currentThread().equals(own)) {
        lines.add(event.getLevel() + " " + event.getFormattedMessage());
      }
    }
  }
}
