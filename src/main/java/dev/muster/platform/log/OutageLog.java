package dev.muster.platform.log;

import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.ErrorText;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.Pace;
import jakarta.annotation.PreDestroy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Logs database outages: the start, one line per minute, and the end.
 *
 * <p>Code that meets an outage reports it to this class and logs nothing itself.
 *
 * <p>An outage ends when the database responds and no failure was reported for 5 s. A database that
 * serves some requests and fails others is one outage, not hundreds.
 */
@Component
public final class OutageLog {

  private static final Logger log = LoggerFactory.getLogger(OutageLog.class);

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final Duration CALM_BEFORE_END = Duration.ofSeconds(5);
  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final int VALIDATION_S = 1;

  /** The state of the current outage. */
  private static final class Episode {
    private final long beganAt;
    private long loggedAt;
    private long refused;

    /**
     * {@link System#nanoTime} since when all is well; null after a failed check or a reported
     * failure.
     */
    private @Nullable Long answersSince;

    Episode(long now) {
      beganAt = now;
      loggedAt = now;
    }
  }

  private final BooleanSupplier databaseAnswers;
  private final LongSupplier nanoTime;
  private final Duration calmBeforeEnd;
  private final Duration logInterval;
  private final BackgroundLoop loop;
  private @Nullable Episode episode;

  @Autowired
  OutageLog(DataSource database, Pace pace, BackgroundLoops loops) {
    this(() -> answers(database), System::nanoTime, pace.of(POLL_INTERVAL), pace, loops);
    loops.reportFailuresTo(this::report);
  }

  /**
   * Creates the log.
   *
   * @param looksEvery the interval of database checks during an outage
   */
  OutageLog(
      BooleanSupplier databaseAnswers,
      LongSupplier nanoTime,
      Duration looksEvery,
      Pace pace,
      BackgroundLoops loops) {
    this.databaseAnswers = databaseAnswers;
    this.nanoTime = nanoTime;
    this.calmBeforeEnd = pace.of(CALM_BEFORE_END);
    this.logInterval = pace.of(LOG_INTERVAL);
    this.loop = loops.start("database-outage", looksEvery, this::look);
  }

  /**
   * Reports a failure and returns whether an outage explains it.
   *
   * <p>If true, the outage is logged here and the caller logs nothing. If false, the caller must
   * log the failure.
   */
  public boolean report(Throwable failure) {
    if (DatabaseOutage.isCauseOf(failure)) {
      begin(failure);
      return true;
    }
    return isUnderWay()
        && failure instanceof ProblemException refusal
        && refusal.code() == ErrorCode.UNAVAILABLE;
  }

  /** Returns whether an outage is known. */
  public synchronized boolean isUnderWay() {
    return episode != null;
  }

  /** Counts a 503 response, if an outage is known. */
  public synchronized void refused() {
    @Nullable Episode now = episode;
    if (now != null) {
      now.refused++;
    }
  }

  private synchronized void begin(Throwable failure) {
    log.debug("failed in a database outage", failure);
    @Nullable Episode known = episode;
    if (known != null) {
      known.answersSince = null;
      return;
    }
    episode = new Episode(nanoTime.getAsLong());
    String state = DatabaseOutage.sqlState(failure);
    log.warn(
        "the database cannot answer; requests that need it get 503 until it does: {}{}",
        ErrorText.summary(failure).lines().findFirst().orElse(""),
        state.isEmpty() ? "" : " [" + state + "]");
  }

  void look() {
    if (isUnderWay()) {
      boolean answers = databaseAnswers.getAsBoolean();
      logChange(answers);
    }
  }

  private synchronized void logChange(boolean answers) {
    @Nullable Episode known = episode;
    if (known == null) {
      return;
    }
    long now = nanoTime.getAsLong();
    if (!answers) {
      known.answersSince = null;
    } else if (known.answersSince == null) {
      known.answersSince = now;
    }
    @Nullable Long answersSince = known.answersSince;
    if (answersSince != null && now - answersSince >= calmBeforeEnd.toNanos()) {
      episode = null;
      log.info(
          "the database answers again, after {} s; {} requests were refused meanwhile",
          seconds(answersSince - known.beganAt),
          known.refused);
    } else if (now - known.loggedAt >= logInterval.toNanos()) {
      known.loggedAt = now;
      log.warn(
          "the database cannot answer for {} s by now; {} requests were refused meanwhile",
          seconds(now - known.beganAt),
          known.refused);
    }
  }

  private static long seconds(long nanos) {
    return Math.ceilDiv(nanos, Duration.ofSeconds(1).toNanos());
  }

  private static boolean answers(DataSource database) {
    try (Connection connection = database.getConnection()) {
      return connection.isValid(VALIDATION_S);
    } catch (SQLException e) {
      log.debug("the database is still unreachable", e);
      return false;
    }
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}
