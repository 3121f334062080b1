package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The fleet as a tree and as a map, and by groups. */
@InBrowser(sharesCache = true)
class FleetViewsTest {

  private static final String WEDGED =
      "\"runtime_state\":\"wedged\",\"sample_error\":\"Control request timeout: initialize\"";

  /** Creates a team of a lead and of two agents below it, and returns these. */
  private static List<Agent> team(String name) {
    Agent team = SignedIn.CLIENT.createOnline("Team " + name);
    Agent lead = SignedIn.CLIENT.createOnline("Lead " + name, parent(team));
    return List.of(
        SignedIn.CLIENT.createOnline("Reviewer " + name, parent(lead)),
        SignedIn.CLIENT.createOnline("Fetcher " + name, parent(lead)));
  }

  private static String parent(Agent agent) {
    return "\"parent_id\":\"" + agent.id() + "\"";
  }

  private static Locator names(Page page) {
    return page.locator(".fleet-space .fleet-row:not([hidden]) .name-link");
  }

  private static void press(Page page, String view) {
    page.getByRole(AriaRole.GROUP, new Page.GetByRoleOptions().setName("Shown as").setExact(true))
        .getByText(view)
        .click();
  }

  @Test
  void operatorsLookAtTheFleetInEachView(Tab tab) {
    Page page = SignedIn.asAdmin(tab, "/ui/fleet?q=oak");
    treeKeepsAncestorsOfMatches(page);
    mapIsDrivenByKeysAlone(page);
    Accessibility.check(tab);
    tableIsBesideTheMap(page);
    onAPhoneTheMapIsReplacedByTheCauses(page);
    page.setViewportSize(1400, 900);
    zonesChangeEveryTimeOfTheFleet(page);
  }

  private static void treeKeepsAncestorsOfMatches(Page page) {
    List<Agent> north = team("Northoak");
    team("Southoak");
    SignedIn.CLIENT.createOnline("Elm"); // a filter that all match opens no branch
    SignedIn.follow(page, "/ui/fleet?q=oak");
    press(page, "Tree");
    assertThat(page).hasURL(Pattern.compile("view=tree"));
    Locator tree = page.getByRole(AriaRole.TREEGRID);
    assertThat(tree).hasAttribute("aria-rowcount", "9");

    page.locator("#filter").fill("reviewer northoak");
    assertThat(names(page))
        .hasText(new String[] {"Team Northoak", "Lead Northoak", "Reviewer Northoak"});
    assertThat(page.locator(".fleet-foot")).containsText("1 workspace");
    page.getByRole(AriaRole.NAVIGATION).getByText("Runs").click();
    assertThat(page).hasURL(Pattern.compile("/ui/runs"));
    page.goBack();
    assertThat(names(page))
        .hasText(new String[] {"Team Northoak", "Lead Northoak", "Reviewer Northoak"});

    page.locator("#filter").fill("oak status:degraded");
    assertThat(names(page)).hasCount(0);
    SignedIn.CLIENT.heartbeat(north.get(1), WEDGED);
    assertThat(names(page))
        .hasText(new String[] {"Team Northoak", "Lead Northoak", "Fetcher Northoak"});
    Locator top = page.locator(".fleet-row[aria-rowindex='2']");
    assertThat(top.locator(".col-below")).containsText("of 3 below");
    assertThat(top.locator(".col-below .status-mark:not([hidden])")).hasText("1 wedged");
    assertThat(top).hasAttribute("aria-expanded", "true");
    top.locator(".twisty").click();
    assertThat(names(page)).hasText(new String[] {"Team Northoak"});
  }

  private static void zonesChangeEveryTimeOfTheFleet(Page page) {
    SignedIn.CLIENT.heartbeat(team("Zonewood").getFirst(), WEDGED);
    SignedIn.follow(page, "/ui/fleet?q=reviewer+zonewood");
    Locator row = page.locator(".fleet-row[aria-rowindex='2']");
    assertThat(row.locator(".row-since")).hasAttribute("title", Pattern.compile("UTC$"));
    String utc = page.locator(".causes .soft").first().textContent();
    row.locator(".col-why").click();
    assertThat(page.getByRole(AriaRole.COMPLEMENTARY)).containsText("UTC");

    page.evaluate("() => history.replaceState(null, '', location.search + '&tz=Asia/Kathmandu')");
    page.reload();
    assertThat(row.locator(".row-since")).hasAttribute("title", Pattern.compile("GMT\\+5:45$"));
    assertThat(page.locator(".causes .soft").first()).not().hasText(utc);
    assertThat(page.getByRole(AriaRole.COMPLEMENTARY)).containsText("GMT+5:45");
    assertThat(page.locator("#connection")).not().containsText("UTC");
    assertThat(page.locator("#page").textContent()).doesNotContain("UTC");
  }

  private static void mapIsDrivenByKeysAlone(Page page) {
    Agent wedged = team("Mapwood").getFirst();
    SignedIn.CLIENT.heartbeat(wedged, WEDGED);
    SignedIn.follow(page, "/ui/fleet?q=mapwood");
    page.locator("#filter").focus();
    page.keyboard().press("Tab"); // Table
    page.keyboard().press("Tab");
    page.keyboard().press("Tab"); // Map
    page.keyboard().press("Enter");
    Locator map = page.getByRole(AriaRole.APPLICATION);
    assertThat(map).hasAccessibleName("Map of 4 workspaces");
    page.keyboard().press("Tab");
    assertThat(map).isFocused();

    Locator said = page.locator(".map-card");
    Set<String> reached = new HashSet<>();
    for (String key : List.of("Home", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End")) {
      page.keyboard().press(key);
      reached.add(said.locator(".map-name").textContent());
    }
    assertThat(reached).hasSizeGreaterThan(2);
    page.keyboard().press("Home");
    page.keyboard().press("PageDown");
    assertThat(said).containsText("Reviewer Mapwood");
    assertThat(said).containsText("Runtime wedged — “Control request timeout: initialize”");
    SignedIn.CLIENT.heartbeat(wedged, "\"error_rate\":0");
    assertThat(said).containsText("online since");

    page.keyboard().press("Enter");
    assertThat(page.getByRole(AriaRole.COMPLEMENTARY)).containsText("Reviewer Mapwood");
  }

  private static void tableIsBesideTheMap(Page page) {
    page.getByText("The same as a table").focus();
    page.keyboard().press("Enter");
    assertThat(page.getByRole(AriaRole.GRID)).hasAttribute("aria-rowcount", "5");
    assertThat(page).not().hasURL(Pattern.compile("view="));
  }

  private static void onAPhoneTheMapIsReplacedByTheCauses(Page page) {
    SignedIn.CLIENT.heartbeat(team("Phonewood").getFirst(), WEDGED);
    page.setViewportSize(390, 800);
    SignedIn.follow(page, "/ui/fleet?view=map&q=phonewood");
    assertThat(page.locator(".map-narrow")).isVisible();
    assertThat(page.locator(".causes")).containsText("Runtime wedged");
    assertThat(page.getByRole(AriaRole.APPLICATION)).isHidden();
    page.locator(".causes").getByText("Show").click();
    page.getByText("The same as a table").click();
    // the cause's filter finds what other tests have degraded, too
    assertThat(names(page).filter(new Locator.FilterOptions().setHasText("Reviewer Phonewood")))
        .hasCount(1);
  }
}
