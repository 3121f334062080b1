package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions.IsVisibleOptions;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The navigation with its counts, and the menu of the signed-in person. */
@InBrowser
class TopBarTest {

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  /** The summary of the fleet is read every 10 s. */
  private static final IsVisibleOptions WITHOUT_A_RELOAD =
      new IsVisibleOptions().setTimeout(20_000);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static Page open(Tab tab, String path) {
    return tab.openLive(CLIENT.baseUrl(), ADMIN_TOKEN, path);
  }

  private static Locator link(Page page, String name) {
    return page.getByRole(AriaRole.NAVIGATION, new Page.GetByRoleOptions().setName("Pages"))
        .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName(name).setExact(true));
  }

  /** A lead whose delegation to its worker is stuck. */
  private static String stuckDelegation() {
    Agent lead = CLIENT.createOnline("Lead");
    Agent worker = CLIENT.createOnline("Worker", "\"parent_id\":\"" + lead.id() + "\"");
    String id =
        CLIENT
            .post(
                "/workspaces/" + lead.id() + "/delegate",
                lead.token(),
                "{\"target_id\":\"%s\",\"task\":\"review\"}".formatted(worker.id()))
            .field("delegation_id");
    CLIENT.post(
        "/workspaces/" + worker.id() + "/delegations/" + id + "/heartbeat", worker.token(), "");
    SERVER
        .database()
        .execute(
            """
            UPDATE control_plane_uptime SET up_since = now() - interval '1 day';
            UPDATE delegations SET last_heartbeat = now() - interval '12 minutes'
            """);
    CLIENT.post("/admin/delegations/sweep", ADMIN_TOKEN, "");
    return id;
  }

  private static String queuedMessage() {
    Agent target =
        CLIENT.create("Called", "\"delivery_mode\":\"push\",\"url\":\"http://127.0.0.1:9/\"");
    CLIENT.post(
        "/workspaces/" + target.id() + "/a2a",
        ADMIN_TOKEN,
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"1\",\"parts\":[{\"kind\":\"text\",\"text\":\"Hello\"}]}}}");
    return CLIENT
        .get("/admin/a2a-queue?target_id=" + target.id(), ADMIN_TOKEN)
        .json()
        .get(0)
        .path("queue_id")
        .asString();
  }

  @Test
  void countsStuckDelegationsAndWaitingMessages(Tab tab) {
    String delegation = stuckDelegation();
    String message = queuedMessage();
    Page page = open(tab, "/ui/runs");

    assertThat(link(page, "Delegations 1 stuck")).isVisible();
    assertThat(link(page, "Queue 1 waiting")).isVisible();
    Accessibility.check(tab);

    CLIENT.post("/admin/delegations/" + delegation + "/fail", ADMIN_TOKEN, "{\"reason\":\"no\"}");
    CLIENT.post("/admin/a2a-queue/" + message + "/cancel", ADMIN_TOKEN, "");
    assertThat(link(page, "Delegations")).isVisible(WITHOUT_A_RELOAD);
    assertThat(link(page, "Queue")).isVisible(WITHOUT_A_RELOAD);
  }
}
