package dev.muster.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.testing.Race;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Log lines that callers cause are limited to one a second, which counts the others. */
class LimitedLogTest {

  private static final int CALLERS = 8;
  private static final int EACH = 5_000;

  private final Logger logger = (Logger) LoggerFactory.getLogger(LimitedLogTest.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final LimitedLog log = new LimitedLog(LimitedLogTest.class);

  @BeforeEach
  void listen() {
    logger.setAdditive(false);
    logger.addAppender(lines);
    lines.start();
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setAdditive(true);
  }

  @Test
  void writesALineASecondAndCountsTheOthers() {
    long start = System.nanoTime();
    Race.run(
        CALLERS,
        caller -> {
          for (int n = 0; n < EACH; n++) {
            log.log(Level.INFO, "a caller did {}", "this");
          }
          return caller;
        });
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    List<ILoggingEvent> written = List.copyOf(lines.list);
    assertThat(written).hasSizeBetween(1, (int) seconds + 1);
    // calls of other threads may be counted between the right to write and the line
    assertThat(written.getFirst().getFormattedMessage()).startsWith("a caller did this");

    int calls = CALLERS * EACH + lastOne(written.size());
    List<ILoggingEvent> all = List.copyOf(lines.list);
    long counted = all.stream().mapToLong(LimitedLogTest::before).sum();
    assertThat(all.size() + counted).isEqualTo(calls);
  }

  /** Returns how many calls there are until the next line. */
  private int lastOne(int written) {
    int[] calls = {0};
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> {
          log.log(Level.INFO, "a caller did {}", "that");
          calls[0]++;
          return lines.list.size() > written;
        });
    return calls[0];
  }

  private static long before(ILoggingEvent line) {
    Matcher count = Pattern.compile("and (\\d+) times").matcher(line.getFormattedMessage());
    return count.find() ? Long.parseLong(count.group(1)) : 0;
  }

  @Test
  void keepsTheTraceOfAnException() {
    log.log(Level.ERROR, "{} failed", "it", new IllegalStateException("why"));

    ILoggingEvent line = lines.list.getFirst();
    assertThat(line.getFormattedMessage()).isEqualTo("it failed");
    assertThat(Objects.requireNonNull(line.getThrowableProxy()).getMessage()).isEqualTo("why");
  }
}
