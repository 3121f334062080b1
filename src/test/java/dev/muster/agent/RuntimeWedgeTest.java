package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.testing.Race;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The flag for a runtime that only a restart can repair (seed 000). */
class RuntimeWedgeTest {

  private final Logger logger = (Logger) LoggerFactory.getLogger(RuntimeWedge.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    TestServer.shared(); // the start of the first server of a process resets its log
    RuntimeWedge.ofProcess().reset();
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void reset() {
    logger.detachAppender(lines);
    RuntimeWedge.ofProcess().reset();
  }

  @Test
  void isHealthyAtFirst() {
    assertThat(RuntimeWedge.isWedged()).isFalse();
    assertThat(RuntimeWedge.wedgeReason()).isEmpty();
  }

  @Test
  void keepsTheFirstReasonAndLogsItOnceAsAnError() {
    RuntimeWedge.markWedged("SDK init timeout — restart workspace");
    RuntimeWedge.markWedged("something less precise");

    assertThat(RuntimeWedge.isWedged()).isTrue();
    assertThat(RuntimeWedge.wedgeReason()).isEqualTo("SDK init timeout — restart workspace");
    assertThat(lines.list)
        .singleElement()
        .satisfies(line -> {
          assertThat(line.getLevel()).isEqualTo(Level.ERROR);
          assertThat(line.getFormattedMessage())
              .startsWith("runtime wedge detected: SDK init timeout — restart workspace")
              .contains("degraded until cleared");
        });
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", "\t\n"})
  void usesADefaultReason(@Nullable String reason) {
    RuntimeWedge.markWedged(reason);
    RuntimeWedge.markWedged("later");

    assertThat(RuntimeWedge.wedgeReason()).isEqualTo("wedged");
  }

  @Test
  void isHealthyAndLogsItWhenCleared() {
    RuntimeWedge.markWedged("broken");
    RuntimeWedge.clearWedge();

    assertThat(RuntimeWedge.isWedged()).isFalse();
    assertThat(RuntimeWedge.wedgeReason()).isEmpty();
    assertThat(lines.list)
        .extracting(ILoggingEvent::getLevel)
        .containsExactly(Level.ERROR, Level.INFO);
  }

  @Test
  void acceptsAnotherReasonAfterItWasCleared() {
    RuntimeWedge.markWedged("first");
    RuntimeWedge.clearWedge();
    RuntimeWedge.markWedged("second");

    assertThat(RuntimeWedge.wedgeReason()).isEqualTo("second");
  }

  @Test
  void logsNothingWhenClearedWhileHealthy() {
    RuntimeWedge.clearWedge();

    assertThat(lines.list).isEmpty();
  }

  @Test
  void logsNothingWhenReset() {
    RuntimeWedge.markWedged("broken");
    lines.list.clear();
    RuntimeWedge.ofProcess().reset();

    assertThat(RuntimeWedge.isWedged()).isFalse();
    assertThat(lines.list).isEmpty();
  }

  @Test
  void doesNotMarkOtherExecutors() {
    RuntimeWedge one = new RuntimeWedge();
    RuntimeWedge other = new RuntimeWedge();
    one.mark("only this one");

    assertThat(one.isMarked()).isTrue();
    assertThat(other.isMarked()).isFalse();
    assertThat(RuntimeWedge.isWedged()).isFalse();
  }

  @Test
  void keepsOneOfManyConcurrentReasons() {
    RuntimeWedge wedge = new RuntimeWedge();
    AtomicInteger calls = new AtomicInteger();
    wedge.watch(calls::incrementAndGet);

    List<String> seen =
        Race.run(
            32,
            runner -> {
              wedge.mark("reason of " + runner);
              return wedge.reason();
            });

    assertThat(seen).containsOnly(wedge.reason());
    assertThat(calls).hasValue(1);
  }
}
