package dev.muster.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Line breaks in a request cannot forge a line of the text log. */
class LogInjectionTest {

  private static final String FORGED = "2026-11-21T20:00:00.123Z  INFO 1 --- forged";

  @Test
  void indentsEveryLineOfAMessageButTheFirst() {
    List<String> lines = written("APPLICATION FAILED TO START\n\nwhy\n" + FORGED, null);
    assertThat(lines.getFirst()).endsWith(" : APPLICATION FAILED TO START");
    assertThat(lines.subList(1, lines.size())).containsExactly("", "    why", "    " + FORGED);
  }

  @Test
  void keepsAMessageOnOneLine() {
    for (String lineBreak : List.of("\r", "\u0085", "\u2028", "\u2029", "\u001b[2K")) {
      List<String> lines = written("name" + lineBreak + FORGED, null);
      assertThat(lines).singleElement().asString().endsWith(FORGED).contains(" : name");
      assertThat(lines.getFirst()).matches("[^\\p{Cntrl}\u0085\u2028\u2029]*");
    }
  }

  @Test
  void indentsEveryLineOfATrace() {
    RuntimeException cause = new IllegalArgumentException("of\r\n" + FORGED);
    List<String> lines =
        written("a request failed", new IllegalStateException("of\n" + FORGED, cause));
    assertThat(lines.getFirst()).endsWith(" : a request failed");
    assertThat(lines)
        .filteredOn(line -> line.contains("forged"))
        .hasSize(2)
        .allMatch(line -> line.startsWith("    "));
    assertThat(lines.subList(1, lines.size()))
        .allMatch(line -> line.isEmpty() || line.startsWith("    "));
    assertThat(lines).anyMatch(line -> line.contains("LogInjectionTest.indentsEveryLine"));
  }

  /** Formats as the console of a running server does. */
  private static List<String> written(String message, @Nullable Throwable failure) {
    assertThat(TestServer.shared().port()).isPositive();
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    var console =
        (ConsoleAppender<ILoggingEvent>)
            Objects.requireNonNull(
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("CONSOLE"));
    Logger logger = context.getLogger("dev.muster.Place");
    byte[] written =
        console
            .getEncoder()
            .encode(new LoggingEvent("fqcn", logger, Level.INFO, message, failure, new Object[0]));
    return new String(written, StandardCharsets.UTF_8).lines().toList();
  }
}
