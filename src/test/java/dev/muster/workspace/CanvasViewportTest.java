package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The viewport of the canvas is shared by all users, on every replica. */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of CanvasViewportTest")
class CanvasViewportTest {

  private static final String PATH = "/canvas/viewport";
  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE);
  private static final TestServer OTHER = TestServer.startOn(DATABASE);

  @AfterAll
  static void stop() {
    OTHER.close();
    ONE.close();
  }

  private static Answer put(TestClient client, String body) {
    return client.send("PUT", PATH, ADMIN_TOKEN, body);
  }

  @Test
  void isTheMiddleUntilAMoveAndThenTheLastPositionForAll() {
    DATABASE.execute("DELETE FROM canvas_viewport");
    assertThat(ONE.client().get(PATH, ADMIN_TOKEN).json())
        .hasToString("{\"x\":0.0,\"y\":0.0,\"zoom\":1.0}");

    assertThat(put(ONE.client(), "{\"x\":1,\"y\":2,\"zoom\":3}").field("status"))
        .isEqualTo("updated");
    assertThat(put(OTHER.client(), "{\"x\":-12.5,\"y\":1e3,\"zoom\":0.25,\"more\":1}").status())
        .isEqualTo(200);

    for (TestServer server : new TestServer[] {ONE, OTHER}) {
      assertThat(server.client().get(PATH, ADMIN_TOKEN).json())
          .hasToString("{\"x\":-12.5,\"y\":1000.0,\"zoom\":0.25}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"x\":1,\"y\":2}",
        "{\"x\":1,\"zoom\":1}",
        "{\"y\":1,\"zoom\":1}",
        "{\"x\":null,\"y\":1,\"zoom\":1}",
        "{\"x\":\"1\",\"y\":1,\"zoom\":1}",
        "[]"
      })
  void refusesAMalformedViewport(String body) {
    put(ONE.client(), "{\"x\":7,\"y\":7,\"zoom\":7}");

    assertThat(put(ONE.client(), body).status()).isEqualTo(400);

    assertThat(ONE.client().get(PATH, ADMIN_TOKEN).field("x")).isEqualTo("7.0");
  }

  /** The bounds are those of other numbers of the canvas. */
  @Test
  void keepsNumbersWithinTheirBounds() {
    put(ONE.client(), "{\"x\":1e300,\"y\":-1e300,\"zoom\":-1}");
    assertThat(ONE.client().get(PATH, ADMIN_TOKEN).json())
        .hasToString("{\"x\":1.0E9,\"y\":-1.0E9,\"zoom\":0.001}");
  }

  @Test
  void isForOperatorsOnly() {
    Agent agent = ONE.client().create("agent");
    String body = "{\"x\":1,\"y\":1,\"zoom\":1}";
    assertRefused(ONE.client().get(PATH, agent.token()), 403, "FORBIDDEN");
    assertRefused(ONE.client().send("PUT", PATH, agent.token(), body), 403, "FORBIDDEN");
    assertRefused(ONE.client().get(PATH, null), 401, "UNAUTHENTICATED");
    assertRefused(ONE.client().send("PUT", PATH, null, body), 401, "UNAUTHENTICATED");
  }
}
