package dev.muster.agent.cli;

import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logs to standard error, one line per event with the UTC time and the level. The class is public
 * because SLF4J instantiates it by name.
 */
public final class LineLog implements SLF4JServiceProvider {

  private static volatile Level least = Level.INFO;

  private final Lines lines = new Lines();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter context = new BasicMDCAdapter();

  /** Installs this provider; call it before the first logger is made. */
  static void install() {
    System.setProperty("slf4j.provider", LineLog.class.getName());
    System.setProperty("slf4j.internal.verbosity", "WARN");
  }

  /** Limits the log to warnings and errors from now on. */
  static void beQuiet() {
    least = Level.WARN;
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> lines;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return context;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0";
  }

  @Override
  public void initialize() {}

  /** Serves as the only logger, because a line does not name its class. */
  private static final class Lines extends LegacyAbstractLogger {

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String pattern,
        Object @Nullable [] arguments,
        @Nullable Throwable failure) {
      String text = MessageFormatter.basicArrayFormat(pattern, arguments);
      String why = failure == null ? "" : ": " + said(failure);
      String line = (text + why).strip().replaceAll("\\s*\\R\\s*", " | ");
      PrintStream out = System.err;
      out.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + level + " " + line);
    }

    private static String said(Throwable failure) {
      return failure instanceof IllegalStateException && failure.getMessage() != null
          ? failure.getMessage()
          : failure.toString();
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    public boolean isTraceEnabled() {
      return isEnabled(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
      return isEnabled(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
      return isEnabled(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
      return isEnabled(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
      return isEnabled(Level.ERROR);
    }

    private static boolean isEnabled(Level level) {
      return level.toInt() >= least.toInt();
    }
  }
}
