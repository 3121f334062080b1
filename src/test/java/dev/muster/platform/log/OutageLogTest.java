package dev.muster.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.Pace;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

/** The lines of an outage, with a settable clock; see {@link OutageLinesTest} for a real one. */
class OutageLogTest {

  private final RuntimeException away =
      new CompletionException(
          new DataAccessResourceFailureException("away", new SQLException("cut", "08006")));

  private final AtomicLong now = new AtomicLong(7);
  private final AtomicBoolean answers = new AtomicBoolean();

  /** Leaves out what servers of other tests log about their databases. */
  private final ListAppender<ILoggingEvent> written =
      new ListAppender<>() {

        private final String own = Thread.currentThread().getName();

        @Override
        protected void append(ILoggingEvent event) {
          if (event.getThreadName().equals(own)) {
            super.append(event);
          }
        }
      };

  private final Logger logger = (Logger) LoggerFactory.getLogger(OutageLog.class);
  private final BackgroundLoops loops = new BackgroundLoops(InstantSource.system());
  private final OutageLog outages =
      new OutageLog(answers::get, now::get, Duration.ofHours(1), Pace.REAL, loops);

  @BeforeEach
  void listen() {
    // the loop looks once at its start
    Awaitility.await().until(() -> loops.states().getFirst().runs() == 1);
    written.start();
    logger.addAppender(written);
  }

  @AfterEach
  void close() {
    logger.detachAppender(written);
    outages.close();
  }

  @Test
  void areOneForItsBeginningOneAMinuteAndOneForItsEnd() {
    pass(30);
    assertThat(lines()).isEmpty();
    for (int second = 0; second < 130; second++) {
      assertThat(outages.report(away)).isTrue();
      outages.refused();
      pass(1);
    }
    answers.set(true);
    pass(6);
    pass(600);

    assertThat(lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith("WARN the database cannot answer;")
                    .contains("away", "[08006]"),
            line -> assertThat(line).startsWith("WARN ").contains("for 60 s by now; 60 requests"),
            line -> assertThat(line).startsWith("WARN ").contains("for 120 s by now; 120 requests"),
            line -> assertThat(line).startsWith("INFO ").contains("after 131 s; 130 requests"));
  }

  @Test
  void areNotEndedByOneAnswerAmongFailures() {
    answers.set(true);
    for (int second = 0; second < 50; second++) {
      assertThat(outages.report(away)).isTrue();
      pass(4);
    }
    assertThat(outages.isUnderWay()).isTrue();
    pass(6);
    assertThat(outages.isUnderWay()).isFalse();
    assertThat(lines()).hasSize(5);
  }

  @Test
  void areNotWrittenForOtherFailures() {
    var busy = ProblemException.unavailable("too many wait");
    assertThat(outages.report(new IllegalStateException("a bug"))).isFalse();
    assertThat(
            outages.report(new DataIntegrityViolationException("", new SQLException("", "23505"))))
        .isFalse();
    assertThat(outages.report(busy)).isFalse();
    assertThat(lines()).isEmpty();

    assertThat(outages.report(away)).isTrue();
    assertThat(outages.report(busy)).isTrue();
    assertThat(outages.report(new IllegalStateException("a bug"))).isFalse();
  }

  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      now.addAndGet(Duration.ofSeconds(1).toNanos());
      outages.look();
    }
  }

  private List<String> lines() {
    return written.list.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }
}
