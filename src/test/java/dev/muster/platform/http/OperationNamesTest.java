package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.http.OperationNames.Operation;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation knows the names of its description: misspelt ones are reported and ignored
 * (section 12).
 */
class OperationNamesTest {

  private static final String HEADER = "X-Muster-Warning";
  private static final String FAR = "zzqqzzqqzz";

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  private static Stream<Operation> operations() {
    List<Operation> all = SERVER.bean(OperationNames.class).all();
    assertThat(all).hasSizeGreaterThan(50);
    return all.stream();
  }

  /** Returns the longest name; {@code id} and {@code x} are too short to be misspelt. */
  private static String longest(Collection<String> names) {
    return names.stream().max(Comparator.comparingInt(String::length)).orElseThrow();
  }

  /** Leaves out a letter in the middle. */
  private static String misspelt(String name) {
    int middle = name.length() / 2;
    return name.substring(0, middle) + name.substring(middle + 1);
  }

  static Stream<Operation> withFields() {
    List<Operation> all = operations().filter(one -> !one.fields().isEmpty()).toList();
    assertThat(all)
        .extracting(one -> one.method() + " " + one.path())
        .hasSizeGreaterThan(15)
        .contains(
            "POST /workspaces",
            "PATCH /workspaces/{id}",
            "POST /registry/register",
            "POST /registry/heartbeat",
            "POST /workspaces/{id}/activity",
            "POST /workspaces/{id}/a2a",
            "POST /workspaces/{id}/runtime-events",
            "PUT /canvas/viewport");
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("withFields")
  void areReportedForTheFieldsOfEveryOperation(Operation operation) {
    String path = path(operation);
    String meant = longest(operation.fields());
    Answer plain = CLIENT.send(operation.method(), path, ADMIN_TOKEN, "{}");
    Answer near = CLIENT.send(operation.method(), path, ADMIN_TOKEN, body(misspelt(meant)));
    Answer far = CLIENT.send(operation.method(), path, ADMIN_TOKEN, body(FAR));

    assertThat(warnings(near)).containsExactly(warning("field", misspelt(meant), meant));
    for (Answer other : List.of(plain, far)) {
      assertThat(warnings(other)).isEmpty();
      assertSame(near, other);
    }
  }

  /** Those with a name that can be misspelt; no other name is near a name of one letter. */
  static Stream<Operation> withParameters() {
    List<Operation> all =
        operations()
            .filter(one -> one.parameters().stream().anyMatch(name -> name.length() > 1))
            .toList();
    assertThat(all)
        .extracting(one -> one.method() + " " + one.path())
        .hasSizeGreaterThan(15)
        .contains(
            "GET /workspaces",
            "GET /ws",
            "GET /workspaces/{id}/activity",
            "POST /workspaces/{id}/a2a",
            "DELETE /workspaces/{id}",
            "POST /admin/a2a-queue/drop-stale");
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("withParameters")
  void areReportedForTheQueryParametersOfEveryOperation(Operation operation) {
    // streams would never end if they began
    String path =
        path(operation) + "?" + (operation.parameters().contains("after") ? "after=x" : "");
    String meant = longest(operation.parameters());
    // a loop may change between two calls what other tests have left on this server
    Awaitility.await().untilAsserted(() -> assertReported(operation, path, meant));
  }

  private static void assertReported(Operation operation, String path, String meant) {
    Answer plain = CLIENT.send(operation.method(), path, ADMIN_TOKEN, null);
    Answer near =
        CLIENT.send(operation.method(), path + "&" + misspelt(meant) + "=1", ADMIN_TOKEN, null);
    Answer far = CLIENT.send(operation.method(), path + "&" + FAR + "=1", ADMIN_TOKEN, null);

    assertThat(warnings(near)).containsExactly(warning("query parameter", misspelt(meant), meant));
    for (Answer other : List.of(plain, far)) {
      assertThat(warnings(other)).isEmpty();
      assertSame(near, other);
    }
  }

  private static String path(Operation operation) {
    return operation.path().replaceAll("\\{[^}]*}", UUID.randomUUID().toString());
  }

  private static String body(String name) {
    return "{\"" + name + "\":1}";
  }

  private static String warning(String kind, String name, String meant) {
    return "unknown %s \"%s\", did you mean \"%s\"?".formatted(kind, name, meant);
  }

  private static List<String> warnings(Answer answer) {
    return answer.headers().allValues(HEADER);
  }

  private static void assertSame(Answer one, Answer other) {
    assertThat(one.status()).as(one.text()).isEqualTo(other.status());
    assertThat(lasting(one)).isEqualTo(lasting(other));
  }

  /** The body without what differs between two equal requests: their ids, and ages. */
  private static String lasting(Answer answer) {
    return answer.text().replaceAll("\"(request_id|oldest_s)\":[^,}]*", "");
  }
}
