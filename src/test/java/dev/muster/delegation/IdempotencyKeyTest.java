package dev.muster.delegation;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One key stands for one task to one workspace (R8.2). */
class IdempotencyKeyTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);
  private static final String KEY = "\"idempotency_key\":\"k\"";

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);
  private final Agent other = LEDGER.called(team, "http://127.0.0.1:9/");

  @ParameterizedTest
  @ValueSource(strings = {"dispatched", "in_progress", "completed"})
  void isRefusedForAnotherTaskOrWorkspace(String status) {
    String id = LEDGER.delegate(caller, callee, "Do it.", KEY);
    LEDGER.await(caller, id, "dispatched");
    if (!status.equals("dispatched")) {
      LEDGER.update(callee, id, "{\"status\":\"" + status + "\"}");
    }

    assertReused(id, LEDGER.tryToDelegate(caller, callee.id(), "Do more.", KEY));
    assertReused(id, LEDGER.tryToDelegate(caller, other.id(), "Do it.", KEY));
    assertReused(id, delegate("/workspaces/" + callee.id(), "{\"task\":\"Do more.\"," + KEY + "}"));
    assertReused(
        id,
        LEDGER
            .client()
            .post(
                "/workspaces/" + caller.id() + "/delegate",
                ADMIN_TOKEN,
                body(other.id(), "Do it.", KEY)));

    assertThat(stored()).isEqualTo("1");
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo(status);
  }

  /** A caller that sends again may ask for less time, since some has passed. */
  @Test
  void isComparedByTaskAndWorkspaceAlone() {
    String id = LEDGER.delegate(caller, callee, "Do it.", KEY, "\"deadline_s\":60");

    Answer again = LEDGER.tryToDelegate(caller, callee.id(), "Do it.", KEY, "\"deadline_s\":50");

    assertThat(again.status()).as(again.text()).isEqualTo(200);
    assertThat(again.field("delegation_id")).isEqualTo(id);
  }

  /** The ledger's preview of both is the same. */
  @Test
  void isComparedByTheWholeTask() {
    String begin = "ü".repeat(5_000);
    String id = LEDGER.delegate(caller, callee, begin + "1", KEY);

    assertReused(id, LEDGER.tryToDelegate(caller, callee.id(), begin + "2", KEY));
    assertReused(id, LEDGER.tryToDelegate(caller, callee.id(), begin, KEY));
    assertThat(LEDGER.tryToDelegate(caller, callee.id(), begin + "1", KEY).status()).isEqualTo(200);
  }

  @Test
  void isFreeForAnotherTaskAfterAFailureOrADay() {
    String failed = LEDGER.delegate(caller, callee, "Do it.", KEY);
    LEDGER.update(callee, failed, "{\"status\":\"failed\"}");
    String completed = LEDGER.delegate(caller, callee, "Do more.", KEY);
    LEDGER.update(callee, completed, "{\"status\":\"completed\"}");
    assertReused(completed, LEDGER.tryToDelegate(caller, callee.id(), "Do it.", KEY));
    LEDGER.set(completed, "updated_at = now() - interval '24 hours 1 minute'");

    String third = LEDGER.delegate(caller, other, "Do it.", KEY);

    assertThat(third).isNotIn(failed, completed);
  }

  @Test
  void standsForOneTaskOfManyAtOnce() {
    List<Answer> answers =
        Race.run(
            16,
            n ->
                LEDGER.tryToDelegate(
                    caller, (n % 2 == 0 ? callee : other).id(), "Do " + n / 4, KEY));

    Map<Integer, List<Answer>> byStatus =
        answers.stream().collect(Collectors.groupingBy(Answer::status));
    assertThat(byStatus.keySet()).isEqualTo(Set.of(202, 200, 409));
    assertThat(byStatus.get(202)).hasSize(1);
    assertThat(byStatus.get(200)).hasSize(1);
    assertThat(answers.stream().map(answer -> answer.field("delegation_id")).distinct()).hasSize(1);
    assertThat(stored()).isEqualTo("1");
  }

  @Test
  void isTakenFromTheHeaderToo() {
    String path = "/workspaces/" + caller.id();
    String plain = body(callee.id(), "Do it.");
    Answer first = delegate(path, plain, "Idempotency-Key", "k");
    assertThat(first.status()).as(first.text()).isEqualTo(202);
    String id = first.field("delegation_id");

    assertThat(delegate(path, plain, "Idempotency-Key", "k").status()).isEqualTo(200);
    assertThat(LEDGER.tryToDelegate(caller, callee.id(), "Do it.", KEY).field("delegation_id"))
        .isEqualTo(id);
    assertThat(
            delegate(path, body(callee.id(), "Do it.", KEY), "Idempotency-Key", "k")
                .field("delegation_id"))
        .isEqualTo(id);
    assertThat(
            delegate("/workspaces/" + callee.id(), "{\"task\":\"Do it.\"}", "Idempotency-Key", "k")
                .field("delegation_id"))
        .isEqualTo(id);
    assertReused(id, delegate(path, body(callee.id(), "Do more."), "Idempotency-Key", "k"));
    assertThat(LEDGER.read(caller, id).path("idempotency_key").asString()).isEqualTo("k");
  }

  @Test
  void isRefusedWhereHeaderAndBodyDiffer() {
    String path = "/workspaces/" + caller.id();
    Answer answer = delegate(path, body(callee.id(), "Do it.", KEY), "Idempotency-Key", "other");

    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(answer.field("error"))
        .isEqualTo(
            "idempotency_key: not the value of the header Idempotency-Key (expected: one of the"
                + " two, or the same key in both)");
    Answer twoHeaders =
        RawHttp.send(
            SERVER.port(),
            "POST " + path + "/delegate",
            List.of(
                "Authorization: Bearer " + caller.token(),
                "Idempotency-Key: a",
                "Idempotency-Key: b"),
            body(callee.id(), "Do it.").getBytes(StandardCharsets.UTF_8));
    assertRefused(twoHeaders, 400, "VALIDATION_FAILED");
    assertThat(stored()).isEqualTo("0");

    assertThat(delegate(path, body(callee.id(), "Do it."), "Idempotency-Key", "").status())
        .isEqualTo(202);
    assertThat(delegate(path, body(callee.id(), "Do it."), "Idempotency-Key", "").status())
        .isEqualTo(202);
  }

  private Answer delegate(String workspace, String body, String... headers) {
    return LEDGER.client().post(workspace + "/delegate", caller.token(), body, headers);
  }

  private static String body(UUID target, String task, String... fields) {
    String more = fields.length == 0 ? "" : "," + String.join(",", fields);
    return "{\"target_id\":\"" + target + "\",\"task\":\"" + task + "\"" + more + "}";
  }

  private static void assertReused(String id, Answer answer) {
    assertRefused(answer, 409, "IDEMPOTENCY_KEY_REUSED");
    assertThat(answer.field("delegation_id")).isEqualTo(id);
    assertThat(answer.field("error")).contains(id).contains("(expected: ");
  }

  private String stored() {
    return SERVER
        .database()
        .value("SELECT count(*) FROM delegations WHERE caller_id = '" + caller.id() + "'");
  }
}
