package dev.muster.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStderr;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Events are aggregated into runs (R9.3). */
@Slow
class RuntimeRunsTest {

  private static final TestClient CLIENT = TestServer.shared().client();
  private static final RuntimeStart START = new RuntimeStart("t", "run_py", "python");

  private final TestStream stream = TestStream.create(CLIENT, "runs");

  @Test
  void showsAllFieldsOfARun() {
    stream.add(START, new RuntimeStdout("t", "hel"));
    stream.add(new RuntimeStderr("t", "warn\n"), new RuntimeStdout("t", "lo\n"));
    JsonNode running = stream.run();
    assertThat(running.path("status").asString()).isEqualTo("running");
    assertThat(running.path("ended_at").isNull()).isTrue();
    stream.add(new RuntimeEnd("t", 0, RuntimeEnd.MAX_MS));

    JsonNode run = stream.run();

    assertThat(List.copyOf(run.propertyNames()))
        .containsExactly(
            "run_id",
            "task_name",
            "runtime_name",
            "language",
            "status",
            "exit_code",
            "duration_ms",
            "error_kind",
            "error_message",
            "stdout",
            "stderr",
            "truncated",
            "stdout_bytes",
            "stderr_bytes",
            "started_at",
            "ended_at");
    assertThat(run.path("run_id").asString()).isEqualTo(running.path("run_id").asString());
    assertThat(run.path("status").asString()).isEqualTo("succeeded");
    assertThat(run.path("runtime_name").asString()).isEqualTo("run_py");
    assertThat(run.path("language").asString()).isEqualTo("python");
    assertThat(run.path("duration_ms").bigIntegerValue()).isEqualTo(RuntimeEnd.MAX_MS);
    assertThat(run.path("stdout").asString()).isEqualTo("hello\n");
    assertThat(run.path("stderr").asString()).isEqualTo("warn\n");
    assertThat(run.path("truncated").asBoolean()).isFalse();
    assertThat(run.path("ended_at").asString()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, succeeded",
    "1, failed",
    "-9, failed",
    "2147483647, failed",
    "-2147483648, failed"
  })
  void takesItsStatusFromTheExitCode(int exitCode, String status) {
    stream.add(START, new RuntimeEnd("t", exitCode, 5));

    assertThat(stream.run().path("status").asString()).isEqualTo(status);
    assertThat(stream.run().path("exit_code").asInt()).isEqualTo(exitCode);
  }

  @ParameterizedTest
  @CsvSource({
    "Timeout, errored",
    "Internal, errored",
    "Cancelled, cancelled",
    "cancelled, errored",
    "Newer, errored",
    "'', errored"
  })
  void distinguishesACancelFromAnError(String kind, String status) {
    stream.add(START, new RuntimeError("t", kind, "why"));

    JsonNode run = stream.run();
    assertThat(run.path("status").asString()).isEqualTo(status);
    assertThat(run.path("error_kind").asString()).isEqualTo(kind);
    assertThat(run.path("error_message").asString()).isEqualTo("why");
    assertThat(run.path("exit_code").isNull()).isTrue();
  }

  @Test
  void listsRunsOfOneTaskNewestFirst() {
    stream.add(START, new RuntimeStdout("t", "one"), new RuntimeEnd("t", 0, 1));
    stream.add(START, new RuntimeStdout("t", "two"), new RuntimeEnd("t", 3, 1));
    stream.add(new RuntimeStart("u", "r", "bash"));

    assertThat(statuses(stream.runs(""))).containsExactly("u running", "t failed", "t succeeded");
    assertThat(stream.runs("?task_name=t").findValuesAsString("stdout"))
        .containsExactly("two", "one");
    assertThat(stream.runs("?task_name=x").isEmpty()).isTrue();
  }

  @Test
  void separatesConcurrentTasks() {
    stream.add(
        START,
        new RuntimeStart("u", "r", "bash"),
        new RuntimeStdout("t", "t1"),
        new RuntimeStdout("u", "u1"),
        new RuntimeStdout("t", "t2"),
        new RuntimeEnd("u", 0, 1));

    assertThat(statuses(stream.runs(""))).containsExactly("u succeeded", "t running");
    assertThat(stream.runs("").findValuesAsString("stdout")).containsExactly("u1", "t1t2");
  }

  @Test
  void losesARunWhoseTaskStartsAgain() {
    stream.add(START, new RuntimeStdout("t", "one"));
    stream.add(START, new RuntimeEnd("t", 0, 1));

    JsonNode runs = stream.runs("");
    assertThat(statuses(runs)).containsExactly("t succeeded", "t lost");
    assertThat(runs.path(1).path("ended_at").asString()).isNotEmpty();
  }

  /** Also when each part comes in a request of its own. */
  @Test
  void addsToTheNewestRunOfATask() {
    stream.add(START, new RuntimeStdout("t", "one"), new RuntimeEnd("t", 0, 1));
    stream.add(START);
    stream.add(new RuntimeStdout("t", "two"));
    stream.add(new RuntimeEnd("t", 3, 1));

    JsonNode runs = stream.runs("");
    assertThat(statuses(runs)).containsExactly("t failed", "t succeeded");
    assertThat(runs.findValuesAsString("stdout")).containsExactly("two", "one");
  }

  @Test
  void createsARunForAnEndWithoutAStart() {
    stream.add(new RuntimeEnd("t", 7, 1));
    stream.add(new RuntimeError("t", "Timeout", "?"));

    JsonNode runs = stream.runs("");
    assertThat(statuses(runs)).containsExactly("t errored", "t failed");
    assertThat(runs.path(1).path("runtime_name").isNull()).isTrue();
    assertThat(runs.path(1).path("started_at").asString())
        .isEqualTo(runs.path(1).path("ended_at").asString());
  }

  @Test
  void createsARunForOutputWithoutAStart() {
    stream.add(new RuntimeStderr("t", "?"));
    stream.add(new RuntimeEnd("t", 0, 1));

    assertThat(statuses(stream.runs(""))).containsExactly("t succeeded");
  }

  @Test
  void addsLateOutputToTheEndedRun() {
    stream.add(START, new RuntimeEnd("t", 0, 1));
    stream.add(new RuntimeStdout("t", "late"));

    assertThat(stream.run().path("stdout").asString()).isEqualTo("late");
    assertThat(stream.run().path("status").asString()).isEqualTo("succeeded");
  }

  @Test
  void keepsTheEndOfLongOutputCutOnACodePoint() {
    StringBuilder written = new StringBuilder("x");
    stream.add(START);
    for (int i = 0; i < 40; i++) {
      String chunk = ("é" + "😀".repeat(1_000) + i + "\n");
      stream.add(new RuntimeStdout("t", chunk), new RuntimeStderr("t", "."));
      written.append(chunk);
    }

    JsonNode run = stream.run();

    String kept = run.path("stdout").asString();
    int bytes = kept.getBytes(StandardCharsets.UTF_8).length;
    assertThat(written.toString()).endsWith(kept);
    assertThat(bytes).isBetween(65_536 - 3, 65_536);
    assertThat(run.path("truncated").asBoolean()).isTrue();
    assertThat(run.path("stdout_bytes").asInt())
        .isEqualTo(written.substring(1).getBytes(StandardCharsets.UTF_8).length);
    assertThat(run.path("stderr").asString()).isEqualTo(".".repeat(40));
    assertThat(keptPieces()).isLessThan(2 * 65_536 + 8_192);
  }

  @Test
  void keepsTheEndOfOneChunkThatIsTooLong() {
    stream.add(START, new RuntimeStdout("t", "a".repeat(900_000) + "end"));

    assertThat(stream.run().path("stdout").asString())
        .hasSize(65_536)
        .startsWith("aaa")
        .endsWith("aend");
    assertThat(stream.run().path("stdout_bytes").asInt()).isEqualTo(900_003);
  }

  @Test
  void replacesCharactersThatTextsCannotHold() {
    stream.add(new RuntimeStart("t\0", "\ud800", "l"), new RuntimeStdout("t\0", "a\0b\udc00c😀"));

    JsonNode run = stream.run();
    assertThat(run.path("task_name").asString()).isEqualTo("t\uFFFD");
    assertThat(run.path("runtime_name").asString()).isEqualTo("\uFFFD");
    assertThat(run.path("stdout").asString()).isEqualTo("a\uFFFDb\uFFFDc😀");
    assertThat(stream.runs("?task_name=t%EF%BF%BD").size()).isEqualTo(1);
    assertThat(stream.runs("?task_name=t%00").size()).isEqualTo(1);
  }

  @Test
  void truncatesLongNames() {
    String name = "n".repeat(5_000);
    stream.add(new RuntimeStart(name, name, name), new RuntimeError(name, name, name));

    JsonNode run = stream.run();
    assertThat(run.path("task_name").asString()).hasSize(1_000);
    assertThat(run.path("language").asString()).hasSize(255);
    assertThat(run.path("error_message").asString()).hasSize(4_096);
    assertThat(stream.replay("").path(0).path("payload").path("task_name").asString())
        .isEqualTo(name);
  }

  @Test
  void linksAllPages() {
    for (int i = 0; i < 7; i++) {
      stream.add(new RuntimeStart("t " + i % 2, "r", "" + i));
    }
    List<String> languages = new ArrayList<>();
    String next = stream.path("/runtime-runs?task_name=t+0&limit=2");
    while (!next.isEmpty()) {
      Answer page = CLIENT.get(next, stream.agent().token());
      assertThat(TestStream.rows(page).size()).isLessThanOrEqualTo(2);
      languages.addAll(page.json().findValuesAsString("language"));
      next = page.next();
    }

    assertThat(languages).containsExactly("6", "4", "2", "0");
  }

  @Test
  void endsAPageEarlyWhenItsOutputIsTooLarge() {
    String much = "m".repeat(65_536);
    for (int i = 0; i < 20; i++) {
      stream.add(
          new RuntimeStart("a" + i, "r", "l"),
          new RuntimeStdout("a" + i, much),
          new RuntimeStart("b" + i, "r", "l"),
          new RuntimeStdout("b" + i, much),
          new RuntimeStart("c" + i, "r", "l"),
          new RuntimeStdout("c" + i, much),
          new RuntimeStart("d" + i, "r", "l"),
          new RuntimeStdout("d" + i, much),
          new RuntimeStart("e" + i, "r", "l"),
          new RuntimeStdout("e" + i, much),
          new RuntimeStart("f" + i, "r", "l"),
          new RuntimeStdout("f" + i, much),
          new RuntimeStart("g" + i, "r", "l"),
          new RuntimeStdout("g" + i, much));
    }

    Answer first = CLIENT.get(stream.path("/runtime-runs?limit=1000"), stream.agent().token());
    Answer second = CLIENT.get(first.next(), stream.agent().token());

    assertThat(first.text().length()).isBetween(7 << 20, 9 << 20);
    assertThat(first.json().size() + second.json().size()).isEqualTo(140);
    assertThat(second.next()).isEmpty();
  }

  private long keptPieces() {
    return Long.parseLong(
        TestServer.shared()
            .database()
            .value(
                "SELECT sum(octet_length(piece)) FROM runtime_output WHERE workspace_id = '"
                    + stream.agent().id()
                    + "'"));
  }

  private static List<String> statuses(JsonNode runs) {
    List<String> statuses = new ArrayList<>();
    runs.forEach(run ->
        statuses.add(run.path("task_name").asString() + " " + run.path("status").asString()));
    return statuses;
  }
}
