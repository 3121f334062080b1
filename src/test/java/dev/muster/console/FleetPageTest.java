package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fleet as an operator sees it: who is down, since when, why, and what to do now. */
@InBrowser
class FleetPageTest {

  private static final String WEDGED =
      "\"runtime_state\":\"wedged\",\"sample_error\":\"Control request timeout: initialize\"";
  private static final String FAILING = "\"error_rate\":0.9,\"sample_error\":\"%s\"";

  private static final TestServer SERVER =
      TestServer.start("AGENT_URL_ALLOW=loopback", "LIVENESS_SWEEP_INTERVAL_S=86400");
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static Page open(Tab tab, String path) {
    return tab.openLive(CLIENT.baseUrl(), TestServer.ADMIN_TOKEN, path);
  }

  private static Locator row(Page page, String name) {
    return page.locator(
        ".fleet-space .fleet-row:not([hidden])",
        new Page.LocatorOptions()
            .setHas(page.getByText(name, new Page.GetByTextOptions().setExact(true))));
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  /** A mark that a reload would wipe out. */
  private static void stay(Page page) {
    page.evaluate("() => { window.isSamePage = true; }");
  }

  private static void assertSamePage(Page page) {
    assertThat(page.evaluate("() => window.isSamePage === true")).isEqualTo(true);
  }

  @Test
  void wedgedAgentIsFirstWithItsOwnWordsAndARestart(Tab tab) {
    IntStream.range(0, 5).forEach(i -> CLIENT.createOnline("Well " + i));
    Agent wedged = CLIENT.createOnline("Reviewer 4711", "\"role\":\"code review\"");
    CLIENT.heartbeat(wedged, WEDGED);
    Page page = open(tab, "/?q=" + "-name:Other");

    Locator first = page.locator(".fleet-row[aria-rowindex='2']");
    assertThat(first).containsText("Reviewer 4711");
    assertThat(first).containsText("degraded");
    assertThat(first).containsText("Runtime wedged — “Control request timeout: initialize”");
    assertThat(page.locator(".causes"))
        .containsText("Wedged: “Control request timeout: initialize”");

    first.locator(".col-why").click();
    Locator sheet = page.getByRole(AriaRole.COMPLEMENTARY);
    assertThat(sheet).containsText("each request fails until its process restarts");
    assertThat(sheet).containsText("last heartbeat");
    sheet.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Restart")).click();
    assertThat(page.locator("#toasts")).containsText("restart requested");
    assertThat(sheet).containsText("A restart was asked for");
    assertThat(CLIENT.heartbeat(wedged, WEDGED).json().has("restart_requested_at")).isTrue();
    CLIENT.heartbeat(wedged);
  }

  @Test
  void recoveryClearsTheReasonWithoutAReload(Tab tab) {
    Agent agent = CLIENT.createOnline("Recovering");
    CLIENT.heartbeat(agent, WEDGED);
    Page page = open(tab, "/ui/fleet?q=recovering");
    stay(page);
    assertThat(row(page, "Recovering").locator(".col-why")).containsText("wedged");

    CLIENT.heartbeat(agent, "\"error_rate\":0");
    assertThat(row(page, "Recovering").locator(".col-status")).containsText("online");
    assertThat(row(page, "Recovering").locator(".col-why")).hasText("");
    assertThat(page.locator(".causes")).hasCount(0);
    assertSamePage(page);
  }

  @Test
  void groupsFourHundredByThreeCauses(Tab tab) {
    IntStream.range(0, 412)
        .parallel()
        .forEach(i -> {
          Agent agent = CLIENT.createOnline("Grouped " + i, "\"runtime\":\"claude\"");
          CLIENT.heartbeat(
              agent,
              i < 371
                  ? WEDGED
                  : FAILING.formatted(
                      i < 409 ? "429 from upstream " + i + ": quota" : "boom " + i));
        });
    Page page = open(tab, "/ui/fleet?q=grouped");

    Locator causes = page.locator(".causes");
    assertThat(causes).containsText("412 workspaces in trouble");
    assertThat(causes.locator("li").filter(text("371 degraded"))).containsText("initialize");
    assertThat(causes.locator("li").filter(text("38 degraded"))).containsText("429 from upstream");
    assertThat(causes.locator("li").filter(text("3 degraded"))).containsText("boom");
    button(page, "Show these 38").click();
    assertThat(page.getByRole(AriaRole.GRID)).hasAttribute("aria-rowcount", "39");
    page.goBack();

    button(page, "Restart these 371").click();
    Locator dialog = page.getByRole(AriaRole.DIALOG);
    assertThat(dialog).containsText("371 of 371 will be asked to restart");
    dialog
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Restart 371"))
        .click();
    assertThat(page.locator(".bulk-progress")).containsText("371");
    assertThat(page.locator("h1")).containsText("Restart");
  }

  private static Locator.FilterOptions text(String text) {
    return new Locator.FilterOptions().setHasText(Pattern.compile("(^|\\D)" + text));
  }

  @Test
  void filterInTheUrlSurvivesReloadBackAndForward(Tab tab) {
    CLIENT.createOnline("Filtered one");
    CLIENT.create("Filtered two");
    Page page = open(tab, "/ui/fleet?q=filtered");
    Locator grid = page.getByRole(AriaRole.GRID);
    assertThat(grid).hasAttribute("aria-rowcount", "3");

    page.locator(".fleet-counts").getByText("awaiting agent").click();
    page.locator("#filter").fill("filtered status:online");
    assertThat(grid).hasAttribute("aria-rowcount", "2");
    page.reload();
    assertThat(page.locator("#filter")).hasValue("filtered status:online");
    assertThat(grid).hasAttribute("aria-rowcount", "2");

    page.goBack();
    assertThat(page.locator("#filter")).hasValue("filtered");
    assertThat(grid).hasAttribute("aria-rowcount", "3");
    page.goForward();
    assertThat(page.locator("#filter")).hasValue("filtered status:online");

    page.locator("#filter").fill("colour:red");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("“colour” is no word of the filter");
  }

  @Test
  void rowsDoNotMoveUnderTheCursor(Tab tab) {
    List<Agent> agents =
        IntStream.range(0, 12).mapToObj(i -> CLIENT.createOnline("Steady " + i)).toList();
    Page page = open(tab, "/ui/fleet?q=steady");
    // An old snapshot has caught up: from now on nothing moves.
    assertThat(page.locator(".fleet-table[aria-busy='false']")).isVisible();
    assertThat(page.locator(".fleet-space .fleet-row:not([hidden])").filter(text("online")))
        .hasCount(12);
    Locator fifth = page.locator(".fleet-row[aria-rowindex='6']");
    fifth.hover();
    String before = fifth.locator(".name-link").textContent();
    String target = page.locator(".fleet-row[aria-rowindex='10'] .name-link").textContent();
    Agent moved = agents.get(Integer.parseInt(target.replaceAll("\\D", "")));

    CLIENT.heartbeat(moved, WEDGED);
    assertThat(page.locator(".fleet-foot")).containsText("1 row would change place");
    assertThat(page.locator(".fleet-row[aria-rowindex='10'] .col-status")).containsText("degraded");
    assertThat(fifth.locator(".name-link")).hasText(before);

    page.keyboard().press(".");
    assertThat(page.locator(".fleet-row[aria-rowindex='2'] .name-link")).hasText(target);
  }

  @Test
  void newAndRemovedWorkspacesComeAndGo(Tab tab) {
    CLIENT.create("Coming 1");
    Page page = open(tab, "/ui/fleet?q=coming");
    stay(page);
    Agent late = CLIENT.create("Coming 2", "\"role\":\"late\"");
    assertThat(row(page, "Coming 2")).containsText("late");
    assertThat(row(page, "Coming 2")).containsText("awaiting agent");
    CLIENT.delete("/workspaces/" + late.id() + "?confirm=true", TestServer.ADMIN_TOKEN);
    assertThat(row(page, "Coming 2")).hasCount(0);
    assertSamePage(page);
  }

  @Test
  void pauseAndResumeByTheTableAndViewersCannot(Tab tab) {
    Agent agent = CLIENT.createOnline("Resting");
    CLIENT.post("/workspaces/" + agent.id() + "/pause", TestServer.ADMIN_TOKEN, "{}");
    Page page = open(tab, "/ui/fleet?q=resting");
    button(page, "Resume").click();
    assertThat(page.locator("#toasts")).containsText("Resting: resumed");
    page.locator("#toasts .toast").hover(); // it stays as long as the pointer is on it
    assertThat(row(page, "Resting").locator(".col-status")).not().containsText("paused");

    button(page, "Undo").click();
    assertThat(row(page, "Resting").locator(".col-status")).containsText("paused");
    String viewer =
        CLIENT
            .post(
                "/admin/tokens",
                TestServer.ADMIN_TOKEN,
                "{\"name\":\"reader\",\"role\":\"viewer\"}")
            .field("auth_token");
    tab.expects("status of 401|HTTP Authentication failed"); // the page of the session before
    tab.signIn(CLIENT.baseUrl(), viewer, "/ui/fleet?q=resting");
    assertThat(row(page, "Resting").locator(".col-status")).containsText("paused");
    assertThat(button(page, "Resume")).hasCount(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {320, 390, 640})
  void phoneWidthHasNoSidewaysScroll(int width, Tab tab) {
    Agent agent =
        CLIENT.createOnline("Narrow " + "w".repeat(180), "\"role\":\"" + "r".repeat(90) + "\"");
    CLIENT.heartbeat(agent, FAILING.formatted("e".repeat(300)));
    tab.page().setViewportSize(width, 800);
    Page page = open(tab, "/ui/fleet?q=narrow");
    assertThat(page.locator(".fleet-row[aria-rowindex='2']")).isVisible();
    assertThat(page.locator(".causes .cause-next")).isVisible();
    assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(width);
    assertThat(
            (Double)
                page.locator(".fleet-row[aria-rowindex='2'] .col-choose")
                    .evaluate("cell => Math.min(cell.offsetWidth, cell.offsetHeight) + 0.5"))
        .isGreaterThan(44);
    page.locator(".fleet-foot summary").click();
    assertThat(page.locator(".fleet-foot"))
        .containsText("curl -s \"$MUSTER\"'/console/summary?q=narrow' -H \"$ADMIN\"");
    assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(width);
    page.locator(".fleet-foot summary").click();
    page.locator(".fleet-row[aria-rowindex='2'] .col-why").click();
    assertThat(page.getByRole(AriaRole.COMPLEMENTARY)).isVisible();
    assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(width);
    assertThat(
            (List<?>)
                page.evaluate(
                    "() => [...document.querySelectorAll('.sheet button, .sheet .button,"
                        + " .causes button')].map(e => e.getBoundingClientRect()).filter(r =>"
                        + " r.height < 44 || r.right > innerWidth).map(r => r.height)"))
        .isEmpty();
  }

  @Test
  void hasNoSeriousFindingOfAxe(Tab tab) {
    Agent agent = CLIENT.createOnline("Accessible", "\"role\":\"review\"");
    CLIENT.heartbeat(agent, WEDGED);
    Page page = open(tab, "/ui/fleet?q=accessible");
    Accessibility.check(tab);
    row(page, "Accessible").locator(".col-why").click();
    assertThat(page.getByRole(AriaRole.COMPLEMENTARY)).isVisible();
    Accessibility.check(tab);
    page.locator("#filter").fill("colour:red");
    Accessibility.check(tab);
  }
}
