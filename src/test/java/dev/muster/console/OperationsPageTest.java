package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** How Muster itself is, how it is set, and who may use it. */
@InBrowser(sharesCache = true)
class OperationsPageTest {

  private static Page open(Tab tab, String where) {
    return tab.signIn(CLIENT.baseUrl(), ADMIN_TOKEN, "/ui/ops" + where).page();
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static Locator dialog(Page page) {
    return page.getByRole(AriaRole.DIALOG);
  }

  private static Locator row(Page page, String text) {
    return page.locator("tbody tr").filter(new Locator.FilterOptions().setHasText(text));
  }

  @Test
  void showsReplicasDatabaseAndRates(Tab tab) {
    Page page = open(tab, "");
    assertThat(page.locator(".figures")).containsText(Pattern.compile("answers in [\\d.]+ ms"));
    assertThat(row(page, "answers this page")).containsText("reports");
    Accessibility.check(tab);
    KeyboardWalk.check(page);
  }

  @Test
  void saysWhatIsWrong(Tab tab) {
    try (TestServer server = TestServer.startWithoutSweeps()) {
      server.client().createOnline("Bystander");
      server
          .database()
          .execute(
              "INSERT INTO replica_reports VALUES ('killed-1', '0.1', now(), now() - interval '40"
                  + " s', 7, 0, 1, 8, 9000), ('slow-1', '0.1', now(), now() + interval '10"
                  + " minutes', 7, 0, 1, 8, 2500)");
      server.database().execute("UPDATE control_plane_uptime SET hold_since = now()");
      Page page = tab.signIn(server.client().baseUrl(), ADMIN_TOKEN, "/ui/ops?tab=health").page();
      assertThat(page.locator(".troubles")).containsText("Too many fell silent at once");
      assertThat(page.locator(".troubles")).containsText("not reported for 30 seconds: killed-1");
      assertThat(row(page, "killed-1")).containsText("silent");
      assertThat(page.locator(".troubles")).containsText("Commits take up to 2,500 ms (p99)");
      assertThat(page.locator(".figures")).containsText("99 % within 2,500 ms");
      assertThat(row(page, "slow-1")).containsText("2,500 ms");
      Accessibility.check(tab);
      page.navigate(server.client().baseUrl() + "/ui/ops?tab=jobs");
      assertThat(page.getByRole(AriaRole.STATUS).last()).isVisible();
      server
          .database()
          .execute(
              "UPDATE recurring_jobs SET execution_time = now() - interval '1 hour', picked = true,"
                  + " last_heartbeat = now() WHERE task_name = 'liveness-sweep'");
      page.reload();
      assertThat(page.locator(".notice.bad")).containsText("overdue");
      assertThat(page.locator("tbody tr").first()).containsText("liveness-sweep");
      assertThat(page.locator("tbody tr").first()).containsText("overdue");
      tab.leave();
    }
  }

  @Test
  void showsJobsAndLoops(Tab tab) {
    Page page = open(tab, "?tab=jobs");
    assertThat(row(page, "liveness-sweep").first()).containsText("ok");
    assertThat(row(page, "uptime-ticks")).containsText("ok");
    Accessibility.check(tab);
    KeyboardWalk.check(page);
  }

  @Test
  void showsSettingsAndNoSecret(Tab tab) {
    Page page = open(tab, "?tab=settings");
    assertThat(row(page, "STALE_AFTER_S").first()).containsText("180");
    assertThat(row(page, "ADMIN_TOKEN")).containsText("set, not shown");
    assertThat(page.content()).doesNotContain(ADMIN_TOKEN);
    Accessibility.check(tab);
    page.getByLabel("Show").selectOption("yes");
    assertThat(row(page, "STALE_AFTER_S")).hasCount(0);
    assertThat(row(page, "ADMIN_TOKEN")).containsText("command line");
    KeyboardWalk.check(page);
  }

  @Test
  void makesALinkThatSignsInOnceAndTakesOneBack(Tab tab) {
    Page page = open(tab, "?tab=access");
    assertThat(row(page, "this session")).containsText("night shift");
    button(page, "Make a link").click();
    page.getByLabel("For whom or what").fill("Wall screen");
    page.getByLabel("Good for").selectOption("3600");
    assertThat(dialog(page).locator("details.curl code"))
        .hasText(
            "curl -s $MUSTER/console/links -H \"$ADMIN\" -d"
                + " '{\"role\":\"viewer\",\"name\":\"Wall screen\",\"ttl_s\":3600}'");
    button(page, "Make").click();
    String link = dialog(page).locator(".secret code").innerText();
    Accessibility.check(tab);
    button(page, "I have copied it").click();
    assertThat(page.content()).doesNotContain(link);
    assertThat(row(page, "Wall screen")).containsText("viewer");

    try (Tab other = Tab.open()) {
      other.go(CLIENT.baseUrl(), link.substring(CLIENT.baseUrl().length()));
      assertThat(other.page().locator(".user")).containsText("Wall screen");
      other.assertNoFaults();
      page.reload();
      assertThat(row(page, "Wall screen")).hasCount(1); // no link any more, but a session
      row(page, "Wall screen").getByText("End").click();
      button(page, "End").last().click();
      assertThat(row(page, "Wall screen")).hasCount(0);
    }

    button(page, "Make a link").click();
    page.getByLabel("For whom or what").fill("Lost");
    button(page, "Make").click();
    button(page, "I have copied it").click();
    row(page, "Lost").getByText("Take back").click();
    button(page, "Take back").last().click();
    assertThat(row(page, "Lost")).hasCount(0);
    KeyboardWalk.check(page);
  }

  @Test
  void mintsATokenThatOnlyReadsAndRevokesIt(Tab tab) {
    Page page = open(tab, "?tab=access");
    button(page, "Mint a token").click();
    page.getByLabel("For whom or what").fill("Dashboard");
    assertThat(dialog(page).locator("details.curl code"))
        .hasText(
            "curl -s $MUSTER/admin/tokens -H \"$ADMIN\" -d"
                + " '{\"role\":\"viewer\",\"name\":\"Dashboard\",\"expires_in_s\":null}'");
    button(page, "Mint").click();
    assertThat(dialog(page).locator("details.curl")).hasCount(0);
    String token = dialog(page).locator(".secret code").innerText();
    button(page, "I have copied it").click();
    assertThat(CLIENT.get("/workspaces", token).status()).isEqualTo(200);
    assertThat(CLIENT.post("/workspaces", token, "{\"name\":\"No\"}").status()).isEqualTo(403);
    row(page, "Dashboard").getByText("Revoke").click();
    Accessibility.check(tab);
    button(page, "Revoke").last().click();
    assertThat(row(page, "Dashboard")).hasCount(0);
    assertThat(CLIENT.get("/workspaces", token).status()).isEqualTo(401);
  }

  @Test
  void viewersSeeHealthJobsAndSettingsAlone(Tab tab) {
    Page page = SignedIn.asViewer(tab, "/ui/ops");
    assertThat(page.locator(".tabs a")).hasText(new String[] {"Health", "Jobs", "Settings"});
    assertThat(page.locator(".figures")).isVisible();
    page.navigate(CLIENT.baseUrl() + "/ui/ops?tab=access");
    assertThat(page.getByText("Only operators see this: access.")).isVisible();
  }

  @Test
  void showsTheServersSentenceAndFitsAPhone(Tab tab) {
    tab.expects("status of 503");
    Page page = open(tab, "");
    page.setViewportSize(360, 740);
    for (String name : List.of("health", "jobs", "settings", "access", "audit")) {
      page.navigate(CLIENT.baseUrl() + "/ui/ops?tab=" + name);
      assertThat(page.locator("tbody tr").first()).isVisible();
      assertThat(page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
          .as(name)
          .isEqualTo(true);
    }
    page.route(
        "**/admin/operations",
        route ->
            route.fulfill(
                new com.microsoft.playwright.Route.FulfillOptions()
                    .setStatus(503)
                    .setContentType("application/problem+json")
                    .setBody(
                        "{\"detail\":\"the database does not answer\",\"code\":\"UNAVAILABLE\"}")));
    page.navigate(CLIENT.baseUrl() + "/ui/ops?tab=health");
    assertThat(page.getByRole(AriaRole.ALERT).first()).containsText("the database does not answer");
    Accessibility.check(tab);
  }
}
