package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Links that were not used yet: listed without their codes, and ended (R1.9). */
@Slow
class LinksTest {

  private static final TestServer SERVER = TestServer.start();
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    SERVER.close();
  }

  private static String code(String name) {
    String url =
        CLIENT
            .post(
                "/console/links",
                ADMIN_TOKEN,
                "{\"name\":\"" + name + "\",\"role\":\"viewer\",\"ttl_s\":600}")
            .field("url");
    return url.substring(url.indexOf('=') + 1);
  }

  private static List<JsonNode> open(String name) {
    return CLIENT
        .get("/console/links", ADMIN_TOKEN)
        .json()
        .path("links")
        .valueStream()
        .filter(link -> link.path("name").asString().equals(name))
        .toList();
  }

  private static Answer redeem(String code) {
    return CLIENT.post("/console/session", null, "{\"code\":\"" + code + "\"}");
  }

  @Test
  void listsALinkUntilItIsUsed() {
    String code = code("Used");
    JsonNode link = open("Used").getFirst();
    assertThat(link.propertyNames())
        .containsExactlyInAnyOrder("id", "role", "name", "created_at", "expires_at");
    assertThat(link.path("role").asString()).isEqualTo("viewer");
    assertThat(CLIENT.get("/console/links", ADMIN_TOKEN).text()).doesNotContain(code);

    assertThat(redeem(code).status()).isEqualTo(201);
    assertThat(open("Used")).isEmpty();
  }

  @Test
  void endsALink() {
    String code = code("Ended");
    String path = "/console/links/" + open("Ended").getFirst().path("id").asString();
    assertThat(CLIENT.delete(path, ADMIN_TOKEN).status()).isEqualTo(204);
    assertThat(open("Ended")).isEmpty();
    assertRefused(redeem(code), 401, "LINK_SPENT");
    assertRefused(CLIENT.delete(path, ADMIN_TOKEN), 404, "NOT_FOUND");
  }

  @Test
  void listsNoLinkOfARevokedToken() {
    Answer minted =
        CLIENT.post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"Hands\",\"role\":\"operator\"}");
    CLIENT.post(
        "/console/links", minted.field("auth_token"), "{\"name\":\"Orphan\",\"role\":\"viewer\"}");
    assertThat(open("Orphan")).hasSize(1);
    CLIENT.delete("/admin/tokens/" + minted.field("id"), ADMIN_TOKEN);
    assertThat(open("Orphan")).isEmpty();
  }
}
