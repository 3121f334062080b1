package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The fleet as an operator sees it: who is down, since when, why, and what to do now. */
@InBrowser(sharesCache = true)
class FleetPageTest {

  private static final String WEDGED =
      "\"runtime_state\":\"wedged\",\"sample_error\":\"Control request timeout: initialize\"";

  private static Locator row(Page page, String name) {
    return page.locator(
        ".fleet-space .fleet-row:not([hidden])",
        new Page.LocatorOptions()
            .setHas(page.getByText(name, new Page.GetByTextOptions().setExact(true))));
  }

  /** A mark that a reload would wipe out. */
  private static void stay(Page page) {
    page.evaluate("() => { window.isSamePage = true; }");
  }

  private static void assertSamePage(Page page) {
    assertThat(page.evaluate("() => window.isSamePage === true")).isEqualTo(true);
  }

  @Test
  void operatorsWatchTheFleet(Tab tab) {
    Page page = tab.openLive(CLIENT.baseUrl(), TestServer.ADMIN_TOKEN, "/ui/runs");
    wedgedAgentIsFirstWithItsOwnWordsAndARestart(tab);
    eventsChangeAddAndRemoveRowsWithoutAReload(page);
    filterInTheUrlSurvivesReloadBackAndForward(page);
    Accessibility.check(tab);
    phoneWidthHasNoSidewaysScroll(page);
  }

  private static void wedgedAgentIsFirstWithItsOwnWordsAndARestart(Tab tab) {
    String ofNight = "\"role\":\"night " + UUID.randomUUID() + "\"";
    IntStream.range(0, 5).forEach(i -> CLIENT.createOnline("Well " + i, ofNight));
    Agent wedged = CLIENT.createOnline("Reviewer 4711", ofNight);
    CLIENT.heartbeat(wedged, WEDGED);
    Page page = tab.page();
    SignedIn.follow(page, "/?q=" + ofNight.replaceAll(".*night |\"$", ""));
    assertThat(page.getByRole(AriaRole.GRID)).hasAttribute("aria-rowcount", "7");

    Locator first = page.locator(".fleet-row[aria-rowindex='2']");
    assertThat(first).containsText("Reviewer 4711");
    assertThat(first).containsText("degraded");
    assertThat(first).containsText("Runtime wedged — “Control request timeout: initialize”");
    assertThat(page.locator(".causes"))
        .containsText("Runtime wedged — “Control request timeout: initialize”");
    Accessibility.check(tab);

    first.locator(".col-why").click();
    Locator sheet = page.getByRole(AriaRole.COMPLEMENTARY);
    assertThat(sheet).containsText("each request fails until its process restarts");
    assertThat(sheet).containsText("last heartbeat");
    Accessibility.check(tab);
    sheet.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Restart")).click();
    assertThat(page.locator("#toasts")).containsText("restart requested");
    assertThat(sheet).containsText("A restart was asked for");
    assertThat(CLIENT.heartbeat(wedged, WEDGED).json().has("restart_requested_at")).isTrue();
    CLIENT.heartbeat(wedged);
  }

  private static void eventsChangeAddAndRemoveRowsWithoutAReload(Page page) {
    Agent agent = CLIENT.createOnline("Changing 1");
    CLIENT.heartbeat(agent, WEDGED);
    SignedIn.follow(page, "/ui/fleet?q=changing");
    stay(page);
    assertThat(row(page, "Changing 1").locator(".col-why")).containsText("wedged");

    CLIENT.heartbeat(agent, "\"error_rate\":0");
    assertThat(row(page, "Changing 1").locator(".col-status")).containsText("online");
    assertThat(row(page, "Changing 1").locator(".col-why")).hasText("");
    assertThat(page.locator(".causes")).hasCount(0);

    Agent late = CLIENT.create("Changing 2", "\"role\":\"late\"");
    assertThat(row(page, "Changing 2")).containsText("late");
    assertThat(row(page, "Changing 2")).containsText("awaiting agent");
    CLIENT.delete("/workspaces/" + late.id() + "?confirm=true", TestServer.ADMIN_TOKEN);
    assertThat(row(page, "Changing 2")).hasCount(0);
    assertSamePage(page);
  }

  private static void filterInTheUrlSurvivesReloadBackAndForward(Page page) {
    CLIENT.createOnline("Filtered one");
    CLIENT.create("Filtered two");
    SignedIn.follow(page, "/ui/fleet?q=filtered");
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

  private static void phoneWidthHasNoSidewaysScroll(Page page) {
    Agent agent =
        CLIENT.createOnline("Slender " + "w".repeat(180), "\"role\":\"" + "r".repeat(90) + "\"");
    CLIENT.heartbeat(
        agent, "\"error_rate\":0.9,\"sample_error\":\"%s\"".formatted("e".repeat(300)));
    SignedIn.follow(page, "/ui/fleet?q=slender");
    for (int width : new int[] {320, 390, 640}) {
      page.setViewportSize(width, 800);
      assertFits(page, width);
    }
  }

  private static void assertFits(Page page, int width) {
    Locator first = page.locator(".fleet-row[aria-rowindex='2']");
    assertThat(first).isVisible();
    assertThat(page.locator(".causes .cause-next")).isVisible();
    assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(width);
    assertThat(
            (Double)
                first
                    .locator(".col-choose")
                    .evaluate("cell => Math.min(cell.offsetWidth, cell.offsetHeight) + 0.5"))
        .isGreaterThan(44);
    page.locator(".fleet-foot summary").click();
    assertThat(page.locator(".fleet-foot"))
        .containsText("curl -s \"$MUSTER\"'/console/summary?q=slender' -H \"$ADMIN\"");
    assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(width);
    page.locator(".fleet-foot summary").click();
    first.locator(".col-why").click();
    Locator sheet = page.getByRole(AriaRole.COMPLEMENTARY);
    assertThat(sheet).isVisible();
    assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(width);
    assertThat(
            (List<?>)
                page.evaluate(
                    "() => [...document.querySelectorAll('.sheet button, .sheet .button,"
                        + " .causes button')].map(e => e.getBoundingClientRect()).filter(r =>"
                        + " r.height < 44 || r.right > innerWidth).map(r => r.height)"))
        .isEmpty();
    page.goBack(); // closes the sheet
    assertThat(sheet).hasCount(0);
  }
}
