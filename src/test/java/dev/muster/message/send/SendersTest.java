package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may send to whom, and in whose name (R7.1). */
class SendersTest {

  private static final String MAY_NOT_TALK =
      "access denied: workspaces cannot communicate per hierarchy rules";

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private static final Agent LEAD = CLIENT.create("Lead");
  private static final Agent WRITER = CLIENT.create("Writer", below(LEAD));
  private static final Agent READER = CLIENT.create("Reader", below(LEAD));
  private static final Agent HELP = CLIENT.create("Help", below(READER));
  private static final Agent OTHER_ROOT = CLIENT.create("Other root");
  private static final Agent REMOVED = CLIENT.create("Removed");
  private static final Agent UNKNOWN = new Agent(UUID.randomUUID(), "x".repeat(43));

  static {
    CLIENT.delete("/workspaces/" + REMOVED.id(), ADMIN_TOKEN);
  }

  private static String below(Agent parent) {
    return "\"parent_id\":\"" + parent.id() + "\"";
  }

  private static String message() {
    return ProxyClient.message(UUID.randomUUID().toString(), "hi");
  }

  private static void assertFrom(Agent sender, String activityId) {
    assertThat(PROXY.row(activityId, "source || ' ' || source_id"))
        .isEqualTo("peer_agent " + sender.id());
    assertThat(PROXY.row(activityId, "request_body #>> '{params,message,metadata,sender}'"))
        .isEqualTo("{\"workspace_id\":\"" + sender.id() + "\",\"source\":\"peer_agent\"}");
  }

  private static void assertFromTheCanvas(String activityId) {
    assertThat(PROXY.row(activityId, "source || coalesce(source_id::text, '')"))
        .isEqualTo("canvas_user");
    assertThat(PROXY.row(activityId, "request_body #>> '{params,message,metadata,sender}'"))
        .isEqualTo("{\"workspace_id\":null,\"source\":\"canvas_user\"}");
  }

  @Test
  void treatsTheAdminAsTheCanvas() {
    assertFromTheCanvas(PROXY.sent(WRITER, ADMIN_TOKEN, message()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Workspace-ID", "X-Source-Workspace-Id"})
  void ignoresTheSenderThatTheAdminNames(String header) {
    for (String claim : List.of(READER.id().toString(), UNKNOWN.id().toString(), "", "canvas")) {
      assertFromTheCanvas(PROXY.sent(WRITER, ADMIN_TOKEN, message(), header, claim));
    }
  }

  @Test
  void takesTheSenderFromTheToken() {
    assertFrom(READER, PROXY.sent(WRITER, READER.token(), message()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Workspace-ID", "X-Source-Workspace-Id", "x-workspace-id"})
  void acceptsAHeaderThatIsEmptyOrAgreesWithTheToken(String header) {
    String own = READER.id().toString();

    for (String claim : List.of(own, own.toUpperCase(Locale.ROOT), "")) {
      assertFrom(READER, PROXY.sent(WRITER, READER.token(), message(), header, claim));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Workspace-ID", "X-Source-Workspace-Id", "x-source-workspace-id"})
  void refusesAHeaderThatContradictsTheToken(String header) {
    int before = PROXY.rows(WRITER);
    for (Agent claimed : List.of(WRITER, LEAD, REMOVED, UNKNOWN)) {
      Answer answer =
          PROXY.send(WRITER, READER.token(), message(), header, claimed.id().toString());

      assertRefused(answer, 401, "UNAUTHENTICATED");
      assertThat(answer.field("error").toLowerCase(Locale.ROOT))
          .startsWith(header.toLowerCase(Locale.ROOT) + " is not the workspace of this token");
    }
    assertThat(PROXY.rows(WRITER)).isEqualTo(before);
  }

  @Test
  void checksBothHeadersAndEachOfTheirValues() {
    String own = READER.id().toString();
    String other = WRITER.id().toString();

    assertThat(statusOfClaims("X-Workspace-ID: " + own, "X-Source-Workspace-Id: " + own))
        .isEqualTo(200);
    assertThat(statusOfClaims("X-Workspace-ID: " + own, "X-Source-Workspace-Id: " + other))
        .isEqualTo(401);
    assertThat(statusOfClaims("X-Workspace-ID: " + other, "X-Source-Workspace-Id: " + own))
        .isEqualTo(401);
    assertThat(statusOfClaims("X-Workspace-ID: " + own, "X-Workspace-ID: " + other)).isEqualTo(401);
    assertThat(statusOfClaims("X-Workspace-ID:", "X-Workspace-ID: " + other)).isEqualTo(401);
  }

  private static int statusOfClaims(String... headers) {
    List<String> lines = new ArrayList<>(List.of("Authorization: Bearer " + READER.token()));
    lines.addAll(List.of(headers));
    byte[] body = message().getBytes(StandardCharsets.UTF_8);
    return RawHttp.send(SERVER.port(), "POST " + ProxyClient.path(WRITER.id()), lines, body)
        .status();
  }

  @ParameterizedTest
  @CsvSource({
    "X-Workspace-ID, canvas",
    "X-Source-Workspace-Id, 42",
    "X-Workspace-ID, 1-2-3-4-5",
    "X-Source-Workspace-Id, null"
  })
  void refusesAHeaderThatIsNotAnId(String header, String claim) {
    Answer answer = PROXY.send(WRITER, READER.token(), message(), header, claim);

    assertRefused(answer, 400, "INVALID_ID");
    assertThat(answer.field("error")).contains("\"" + claim + "\"");
  }

  @Test
  void overwritesTheSenderThatAClientNames() {
    String forged =
        ProxyClient.sending(
            "{'content':'hi','metadata':{'sender':{'workspace_id':'"
                + LEAD.id()
                + "','source':'canvas_user'},'trace':1}}");

    String activity = PROXY.sent(WRITER, READER.token(), forged);

    assertFrom(READER, activity);
    assertThat(PROXY.row(activity, "request_body #>> '{params,message,metadata,trace}'"))
        .isEqualTo("1");
    assertFromTheCanvas(PROXY.sent(WRITER, ADMIN_TOKEN, forged));
  }

  @Test
  void refusesCallersWithoutAValidCredential() {
    for (Agent target : List.of(WRITER, REMOVED, UNKNOWN)) {
      assertRefused(PROXY.send(target, null, message()), 401, "UNAUTHENTICATED");
      assertRefused(PROXY.send(target, UNKNOWN.token(), message()), 401, "UNAUTHENTICATED");
      assertRefused(PROXY.send(target, REMOVED.token(), message()), 401, "UNAUTHENTICATED");
    }
  }

  @Test
  void checksTheSenderBeforeTheBody() {
    assertRefused(PROXY.send(WRITER, null, "{"), 401, "UNAUTHENTICATED");
    assertRefused(PROXY.send(WRITER, REMOVED.token(), "{"), 401, "UNAUTHENTICATED");
    assertRefused(
        PROXY.send(WRITER, READER.token(), "{", "X-Workspace-ID", LEAD.id().toString()),
        401,
        "UNAUTHENTICATED");
    assertRefused(
        PROXY.send(WRITER, READER.token(), "{", "X-Workspace-ID", "5"), 400, "INVALID_ID");
  }

  @Test
  void checksTheBodyBeforeTheTarget() {
    for (Agent target : List.of(UNKNOWN, REMOVED, OTHER_ROOT)) {
      for (String body : List.of("{", "{}", ProxyClient.sending("{}"))) {
        assertRefused(PROXY.send(target, READER.token(), body), 400, "VALIDATION_FAILED");
      }
    }
  }

  @Test
  void checksTheTargetBeforeThePermission() {
    assertRefused(PROXY.send(UNKNOWN, READER.token(), message()), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(PROXY.send(UNKNOWN, ADMIN_TOKEN, message()), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(PROXY.send(REMOVED, READER.token(), message()), 410, "WORKSPACE_REMOVED");
    assertRefused(PROXY.send(REMOVED, ADMIN_TOKEN, message()), 410, "WORKSPACE_REMOVED");
    assertThat(PROXY.rows(REMOVED) + PROXY.rows(UNKNOWN)).isZero();
  }

  /** The access of the second sender is in this server's cache. */
  @Test
  void refusesARemovedTargetAlsoToASenderInTheCache() {
    Agent removed = CLIENT.create("Removed", below(LEAD));
    PROXY.sent(removed, WRITER.token(), message());
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    assertRefused(PROXY.send(removed, READER.token(), message()), 410, "WORKSPACE_REMOVED");
    assertRefused(PROXY.send(removed, WRITER.token(), message()), 410, "WORKSPACE_REMOVED");
  }

  @Test
  void refusesATargetThatIsNotAnId() {
    for (String token : List.of(ADMIN_TOKEN, READER.token())) {
      assertRefused(CLIENT.post("/workspaces/reader/a2a", token, message()), 400, "INVALID_ID");
    }
  }

  @Test
  void followsTheHierarchy() {
    assertSends(LEAD, WRITER);
    assertSends(WRITER, LEAD);
    assertSends(WRITER, READER);
    assertSends(HELP, LEAD);
    assertSends(LEAD, HELP);
    assertMayNotSend(HELP, WRITER);
    assertMayNotSend(WRITER, HELP);
    assertMayNotSend(LEAD, OTHER_ROOT);
    assertMayNotSend(OTHER_ROOT, READER);
  }

  private static void assertSends(Agent from, Agent to) {
    assertFrom(from, PROXY.sent(to, from.token(), message()));
  }

  private static void assertMayNotSend(Agent from, Agent to) {
    int before = PROXY.rows(to);

    Answer answer = PROXY.send(to, from.token(), message());

    assertRefused(answer, 403, "FORBIDDEN");
    assertThat(answer.field("error")).isEqualTo(MAY_NOT_TALK);
    assertThat(PROXY.rows(to)).isEqualTo(before);
    assertFromTheCanvas(PROXY.sent(to, ADMIN_TOKEN, message()));
  }

  @Test
  void letsAnAgentSendToItself() {
    assertSends(OTHER_ROOT, OTHER_ROOT);
    assertSends(HELP, HELP);
  }

  @Test
  void acceptsPostOnly() {
    Answer answer = CLIENT.get(ProxyClient.path(WRITER.id()), ADMIN_TOKEN);

    assertRefused(answer, 405, "METHOD_NOT_ALLOWED");
    assertThat(answer.header("Allow")).isEqualTo("POST");
  }
}
