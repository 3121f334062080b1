package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The navigation with its counts, and the menu of the signed-in person. */
@InBrowser(sharesCache = true)
class TopBarTest {

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void stop() {
    SERVER.close();
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
    Agent target = QueuePageTest.targetOf(CLIENT, "Called", "http://127.0.0.1:9/", 1);
    return CLIENT
        .get("/admin/a2a-queue?target_id=" + target.id(), ADMIN_TOKEN)
        .json()
        .get(0)
        .path("queue_id")
        .asString();
  }

  @Test
  void operatorsUseTheTopBar(Tab tab) {
    String delegation = stuckDelegation();
    String message = queuedMessage();
    Page page = tab.openLive(CLIENT.baseUrl(), ADMIN_TOKEN, "/ui/runs");
    countsStuckDelegationsAndWaitingMessages(page, delegation, message);
    keepsTheZoneFromPageToPage(tab);
    Accessibility.check(tab);
  }

  private static void countsStuckDelegationsAndWaitingMessages(
      Page page, String delegation, String message) {
    assertThat(link(page, "Delegations 1 stuck")).isVisible();
    assertThat(link(page, "Queue 1 waiting")).isVisible();

    CLIENT.post("/admin/delegations/" + delegation + "/fail", ADMIN_TOKEN, "{\"reason\":\"no\"}");
    CLIENT.post("/admin/a2a-queue/" + message + "/cancel", ADMIN_TOKEN, "");
    assertThat(link(page, "Delegations")).isVisible(); // without a reload: it is counted every 10 s
    assertThat(link(page, "Queue")).isVisible();
  }

  private static void keepsTheZoneFromPageToPage(Tab tab) {
    Page page = tab.page();
    Agent agent = CLIENT.createOnline("Zoned");
    SignedIn.follow(page, "/ui/w/" + agent.id());
    assertThat(page.locator("#connection")).containsText("UTC");
    page.locator(".user > button").click();
    page.getByLabel("Time zone").selectOption("local");
    assertThat(page).hasURL(Pattern.compile("tz=local"));
    assertThat(page.locator("#connection")).containsText("Asia/Kat");
    assertThat(page.locator(".user time")).containsText("GMT+5:45");
    page.keyboard().press("Escape");
    assertThat(page.locator("#page mu-moment").first())
        .hasAttribute("title", Pattern.compile("GMT\\+5:45$"));

    link(page, "Queue").click();
    assertThat(page).hasURL(CLIENT.baseUrl() + "/ui/queue?tz=local");
    link(page, "Fleet").click();
    assertThat(page).hasURL(CLIENT.baseUrl() + "/?tz=local");
    page.locator("#filter").fill("zoned");
    page.locator(".fleet-row[aria-rowindex='2'] .name-link").click();
    assertThat(page).hasURL(CLIENT.baseUrl() + "/ui/w/" + agent.id() + "?tz=local");
    tab.goByKeys("r", CLIENT.baseUrl() + "/ui/runs?tz=local");

    page.keyboard().press("Control+k");
    page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Page, workspace"))
        .fill("time zone: utc");
    page.keyboard().press("Enter");
    assertThat(page).hasURL(CLIENT.baseUrl() + "/ui/runs");
    assertThat(page.locator("#connection")).containsText("UTC");
    page.goBack();
    assertThat(page.locator("#connection")).containsText("Asia/Kat");
    page.locator(".user > button").click();
    assertThat(page.getByLabel("Time zone")).hasValue("local");
  }
}
