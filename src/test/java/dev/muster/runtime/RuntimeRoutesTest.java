package dev.muster.runtime;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.Poison;
import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Who may post and read runtime events, and which ones are refused (R9.2, R1.4). */
@Slow
class RuntimeRoutesTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final List<String> READS = List.of("/runtime-events", "/runtime-runs");
  private static final String ONE = new RuntimeStdout("t", "x").encode();

  private final TestStream stream = TestStream.create(CLIENT, "routes");

  /** A part of one stream is damaged; the others stay live. */
  @Test
  void keepsOtherStreamsLiveWhenOneCannotBeRead() throws Exception {
    TestStream damaged = TestStream.create(CLIENT, "damaged");
    try (TestSocket canvas = TestSocket.open(CLIENT, "/ws", ADMIN_TOKEN);
        Poison poison = Poison.of(SERVER, "runtime-event-relay")) {
      SERVER
          .database()
          .execute(
              """
              INSERT INTO runtime_segments (workspace_id, last_seq, events, created_at, body)
              VALUES ('%1$s', 1, 1, now(), '[[');
              INSERT INTO runtime_heads (workspace_id, last_seq, last_created_at) VALUES ('%1$s', 1, now())
              ON CONFLICT (workspace_id) DO UPDATE SET last_seq = 1, last_created_at = now()
              """
                  .formatted(damaged.agent().id()));
      await().until(() -> poison.counted() >= 1);

      stream.post(ONE);

      canvas.await(frame ->
          frame.path("event").asString().equals("RUNTIME_EVENT")
              && frame.path("workspace_id").asString().equals(stream.agent().id().toString()));
      assertThat(poison.lines(damaged.agent().id().toString())).hasSize(1);
    } finally {
      SERVER
          .database()
          .execute(
              "DELETE FROM runtime_segments WHERE workspace_id = '" + damaged.agent().id() + "'");
    }
  }

  @Test
  void acceptsOneEnvelopeAnArrayAndAnEmptyArray() {
    assertThat(stream.post(ONE).text()).isEqualTo("{\"accepted\":1}");
    assertThat(stream.post("[" + ONE + "," + ONE + "]").text()).isEqualTo("{\"accepted\":2}");
    assertThat(stream.post("[]").text()).isEqualTo("{\"accepted\":0}");
    assertThat(stream.post("[]").status()).isEqualTo(202);
    assertThat(stream.replay("").size()).isEqualTo(3);
  }

  @Test
  void returnsAcceptedEventsWithAllDigitsAndFields() {
    String odd =
        "{\"task_name\":\"t\",\"exit_code\":-9,\"more\":[1.50,{\"b\":1,\"a\":1e-400}],"
            + "\"duration_ms\":18446744073709551615,\"t\\u0000\":\"\\ud800\"}";
    assertThat(stream.post("{\"type\":\"RuntimeEnd\",\"payload\":" + odd + "}").status())
        .isEqualTo(202);

    Answer replay = CLIENT.get(stream.path("/runtime-events"), ADMIN_TOKEN);

    assertThat(replay.text()).containsIgnoringCase("\"type\":\"RuntimeEnd\",\"payload\":");
    assertThat(replay.text()).contains("18446744073709551615", "[1.50,{\"b\":1,\"a\":1E-400}]");
    assertThat(replay.text()).containsIgnoringCase("\"t\\u0000\":\"\\ud800\"");
  }

  /** A client whose numbers are floating point writes them so. */
  @Test
  void storesWholeNumbersWithoutAFraction() {
    String end =
        "{\"type\":\"RuntimeEnd\",\"payload\":{\"task_name\":\"t\",\"exit_code\":1203189.0,\"duration_ms\":1234.7,\"x\":1.0}}";
    assertThat(stream.post(end).status()).isEqualTo(202);

    JsonNode run = stream.runs("").path(0);
    assertThat(run.path("exit_code").toString()).isEqualTo("1203189");
    assertThat(run.path("duration_ms").toString()).isEqualTo("1234");
    assertThat(CLIENT.get(stream.path("/runtime-events"), ADMIN_TOKEN).text())
        .contains("\"exit_code\":1203189,\"duration_ms\":1234,\"x\":1.0");
  }

  /** The database's clock was ahead when the last event was stored. */
  @Test
  void storesNoEventBeforeTheOneBefore() {
    stream.add(new RuntimeStart("t", "r", "l"));
    Instant ahead = Instant.now().plusSeconds(30).truncatedTo(ChronoUnit.SECONDS);
    SERVER
        .database()
        .execute(
            "UPDATE runtime_heads SET last_created_at = '%s' WHERE workspace_id = '%s'"
                .formatted(ahead, stream.agent().id()));

    stream.add(new RuntimeStdout("t", "later"));

    assertThat(Instant.parse(stream.replay("").path(1).path("created_at").asString()))
        .isAfterOrEqualTo(ahead);
  }

  @Test
  void replaysInOrderWithIdsAsCursors() {
    stream.add(new RuntimeStart("t", "r", "l"));
    for (int i = 0; i < 5; i++) {
      stream.add(new RuntimeStdout("t", "a" + i + " "), new RuntimeStdout("t", "b" + i + " "));
    }
    stream.add(new RuntimeEnd("t", 0, 1));
    JsonNode all = stream.replay("");
    assertThat(all.size()).isEqualTo(12);

    List<String> ids = all.findValuesAsString("id");
    for (int i = 0; i < ids.size(); i++) {
      JsonNode rest = stream.replay("?since_id=" + ids.get(i));
      assertThat(rest.findValuesAsString("id")).isEqualTo(ids.subList(i + 1, ids.size()));
    }
    assertThat(stream.replay("?limit=3").findValuesAsString("id")).isEqualTo(ids.subList(0, 3));
    assertThat(stream.replayAll(1).stream().map(event -> event.path("id").asString()))
        .isEqualTo(ids);
    assertThat(TestStream.chunksOf(stream.replayAll(1000)))
        .isEqualTo("a0 b0 a1 b1 a2 b2 a3 b3 a4 b4 ");
    assertThat(List.copyOf(all.path(0).propertyNames()))
        .containsExactly("id", "created_at", "run_id", "type", "payload");
    assertThat(all.findValuesAsString("run_id")).containsOnly(ids.getFirst());
  }

  @Test
  void refusesACursorOfAnotherStreamOrThatIsNotAnId() {
    TestStream other = TestStream.create(CLIENT, "other");
    other.add(new RuntimeStdout("t", "x"));
    stream.add(new RuntimeStdout("t", "x"));
    String foreign = other.replay("").path(0).path("id").asString();
    UUID last = UUID.fromString(stream.replay("").path(0).path("id").asString());
    String next = new UUID(last.getMostSignificantBits(), last.getLeastSignificantBits() + 1) + "";

    for (String since : List.of(foreign, next, UUID.randomUUID().toString(), "7", "%00")) {
      assertRefused(
          CLIENT.get(stream.path("/runtime-events?since_id=" + since), stream.agent().token()),
          410,
          "CURSOR_GONE");
    }
    assertThat(stream.replay("?since_id=").size()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "7",
        "null",
        "\"RuntimeStart\"",
        "{}",
        "{\"type\":\"RuntimeFoo\",\"payload\":{}}",
        "{\"type\":\"TaskStart\",\"payload\":[\"t\",null]}",
        "[{\"type\":\"RuntimeStdout\",\"payload\":{\"task_name\":\"t\",\"chunk\":null}}]",
        "[[]]",
        "[null]",
        "[",
        "[]]",
        "{\"type\":\"RuntimeEnd\",\"payload\":{\"task_name\":\"t\",\"exit_code\":2147483648,\"duration_ms\":0}}",
        "{\"type\":\"RuntimeEnd\",\"payload\":{\"task_name\":\"t\",\"exit_code\":0,\"duration_ms\":18446744073709551616}}",
        "{\"type\":\"RuntimeEnd\",\"payload\":{\"task_name\":\"t\",\"exit_code\":NaN,\"duration_ms\":0}}",
        "{\"type\":\"RuntimeEnd\",\"payload\":{\"task_name\":\"t\",\"exit_code\":1e400,\"duration_ms\":0}}"
      })
  void refusesMalformedEvents(String body) {
    assertRefused(stream.post(body), 400, "VALIDATION_FAILED");
    assertThat(stream.replay("").isEmpty()).isTrue();
  }

  @Test
  void refusesAWholeArrayAndNamesTheFirstMalformedEvent() {
    Answer answer =
        stream.post(
            "["
                + ONE
                + ","
                + ONE
                + ",{\"type\":\"RuntimeEnd\",\"payload\":{\"task_name\":\"t\",\"exit_code\":\"0\",\"duration_ms\":1}},7]");

    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(answer.json().path("index").asInt()).isEqualTo(2);
    assertThat(answer.field("error"))
        .isEqualTo(
            "event 2: payload.exit_code: \"0\" (expected: a whole number,"
                + " -2147483648..2147483647)");
    assertThat(stream.replay("").isEmpty()).isTrue();
    assertThat(stream.runs("").isEmpty()).isTrue();
  }

  @Test
  void refusesBodiesThatAreTooDeepOrNotUtf8() {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    assertRefused(stream.post(deep), 400, "VALIDATION_FAILED");
    assertRefused(
        stream.post(
            "{\"type\":\"RuntimeStdout\",\"payload\":{\"task_name\":\"t\",\"chunk\":\"x\",\"deep\":"
                + deep
                + "}}"),
        400,
        "VALIDATION_FAILED");
    byte[] notUtf8 = ONE.replace('x', '?').getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < notUtf8.length; i++) {
      notUtf8[i] = notUtf8[i] == '?' ? (byte) 0xFF : notUtf8[i];
    }
    assertRefused(raw(notUtf8), 400, "VALIDATION_FAILED");
  }

  @Test
  void acceptsAMebibyteAndRefusesOneByteMore() {
    int most = 1 << 20;
    String around = new RuntimeStdout("t", "").encode();
    String whole = new RuntimeStdout("t", "c".repeat(most - around.length())).encode();

    assertThat(raw(whole.getBytes(StandardCharsets.UTF_8)).status()).isEqualTo(202);
    Answer larger = raw((whole + " ").getBytes(StandardCharsets.UTF_8));

    assertRefused(larger, 413, "BODY_TOO_LARGE");
    assertThat(larger.json().path("max_bytes").asInt()).isEqualTo(most);
    assertThat(stream.replay("").size()).isEqualTo(1);
  }

  @Test
  void acceptsAsManyTasksAsFitIntoABody() {
    List<String> starts = new ArrayList<>();
    for (int i = 0; i < 9_000; i++) {
      starts.add(new RuntimeStart("t" + i, "r", "l").encode());
    }
    Answer answer = stream.post("[" + String.join(",", starts) + "]");

    assertThat(answer.text()).isEqualTo("{\"accepted\":9000}");
    assertThat(stream.replayAll(1000)).hasSize(9_000);
  }

  @Test
  void isForTheAgentAndTheAdmin() {
    TestStream other = TestStream.create(CLIENT, "stranger");
    String unknown = "/workspaces/" + UUID.randomUUID();
    assertThat(CLIENT.post(stream.path("/runtime-events"), ADMIN_TOKEN, ONE).status())
        .isEqualTo(202);
    assertRefused(CLIENT.post(stream.path("/runtime-events"), null, ONE), 401, "UNAUTHENTICATED");
    assertRefused(
        CLIENT.post(stream.path("/runtime-events"), other.agent().token(), ONE), 403, "FORBIDDEN");
    assertRefused(
        CLIENT.post(unknown + "/runtime-events", ADMIN_TOKEN, ONE), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(
        CLIENT.post(unknown + "/runtime-events", ADMIN_TOKEN, "[]"), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(CLIENT.post("/workspaces/x/runtime-events", ADMIN_TOKEN, ONE), 400, "INVALID_ID");
    // the body is checked before the target (R1.4)
    assertRefused(
        CLIENT.post(unknown + "/runtime-events", ADMIN_TOKEN, "{}"), 400, "VALIDATION_FAILED");
    for (String read : READS) {
      assertThat(CLIENT.get(stream.path(read), ADMIN_TOKEN).status()).isEqualTo(200);
      assertRefused(CLIENT.get(stream.path(read), null), 401, "UNAUTHENTICATED");
      assertRefused(CLIENT.get(stream.path(read), other.agent().token()), 403, "FORBIDDEN");
      assertRefused(
          CLIENT.get(stream.path(read) + "?include_removed=true", other.agent().token()),
          403,
          "FORBIDDEN");
      assertRefused(CLIENT.get(unknown + read, ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
      assertRefused(
          CLIENT.get(unknown + read + "?include_removed=true", ADMIN_TOKEN),
          404,
          "WORKSPACE_NOT_FOUND");
      assertRefused(CLIENT.get("/workspaces/x" + read, ADMIN_TOKEN), 400, "INVALID_ID");
      assertRefused(CLIENT.delete(stream.path(read), ADMIN_TOKEN), 405, "METHOD_NOT_ALLOWED");
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "-5, 1", "2, 2", "5000, 3", "99999999999999999999, 3"})
  void clampsTheLimit(String limit, int rows) {
    for (int i = 0; i < 3; i++) {
      stream.add(new RuntimeStart("t" + i, "r", "l"));
    }
    assertThat(stream.runs("?limit=" + limit).size()).isEqualTo(rows);
    assertThat(stream.replay("?limit=" + limit).size()).isEqualTo(rows);
  }

  @Test
  void refusesMalformedParameters() {
    for (String bad : List.of("?limit=x", "?limit=1.5")) {
      for (String read : READS) {
        assertRefused(CLIENT.get(stream.path(read + bad), ADMIN_TOKEN), 400, "VALIDATION_FAILED");
      }
    }
    for (String cursor : List.of("x", "%00")) {
      assertRefused(
          CLIENT.get(stream.path("/runtime-runs?cursor=" + cursor), ADMIN_TOKEN),
          400,
          "VALIDATION_FAILED");
    }
    String foreign =
        new dev.muster.platform.http.PageCursor(java.time.Instant.EPOCH, UUID.randomUUID()).text();
    assertRefused(
        CLIENT.get(stream.path("/runtime-runs?cursor=" + foreign), ADMIN_TOKEN),
        410,
        "CURSOR_GONE");
  }

  private Answer raw(byte[] body) {
    return RawHttp.send(
        SERVER.port(),
        "POST " + stream.path("/runtime-events"),
        List.of("Authorization: Bearer " + stream.agent().token()),
        body);
  }
}
