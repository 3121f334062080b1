package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The fleet as a tree, and by groups. */
@InBrowser
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
  void treeKeepsAncestorsOfMatches(Tab tab) {
    List<Agent> north = team("Northwood");
    team("Southwood");
    Page page = SignedIn.asAdmin(tab, "/ui/fleet?q=wood");
    press(page, "Tree");
    assertThat(page).hasURL(Pattern.compile("view=tree"));
    Locator tree = page.getByRole(AriaRole.TREEGRID);
    assertThat(tree).hasAttribute("aria-rowcount", "9");

    page.locator("#filter").fill("reviewer northwood");
    assertThat(names(page))
        .hasText(new String[] {"Team Northwood", "Lead Northwood", "Reviewer Northwood"});
    assertThat(page.locator(".fleet-foot")).containsText("1 workspace");
    page.reload();
    assertThat(names(page))
        .hasText(new String[] {"Team Northwood", "Lead Northwood", "Reviewer Northwood"});

    page.locator("#filter").fill("wood status:degraded");
    assertThat(names(page)).hasCount(0);
    SignedIn.CLIENT.heartbeat(north.get(1), WEDGED);
    assertThat(names(page))
        .hasText(new String[] {"Team Northwood", "Lead Northwood", "Fetcher Northwood"});
    Locator top = page.locator(".fleet-row[aria-rowindex='2']");
    assertThat(top.locator(".col-below")).containsText("of 3 below");
    assertThat(top.locator(".col-below .tone-degraded")).containsText("1");
    assertThat(top).hasAttribute("aria-expanded", "true");
    top.locator(".twisty").click();
    assertThat(names(page)).hasText(new String[] {"Team Northwood"});
  }

  @Test
  void hasNoSeriousFindingOfAxeAsATree(Tab tab) {
    SignedIn.CLIENT.heartbeat(team("Axewood").getFirst(), WEDGED);
    Page page = SignedIn.asAdmin(tab, "/ui/fleet?view=tree&group=parent&q=axewood");
    assertThat(page.getByRole(AriaRole.TREEGRID)).isVisible();
    assertThat(names(page)).hasCount(4);
    Accessibility.check(tab);
    KeyboardWalk.check(page);
  }

  @Test
  void groupsTroubleByParent(Tab tab) {
    SignedIn.CLIENT.heartbeat(team("Grouptown").getFirst(), WEDGED);
    Page page = SignedIn.asAdmin(tab, "/ui/fleet?q=grouptown");
    page.getByLabel("Group by").selectOption("parent");
    Locator group = page.locator(".causes li");
    assertThat(group).containsText("Lead Grouptown");
    assertThat(group).containsText("1 degraded");
    group.getByRole(AriaRole.BUTTON).click();
    assertThat(names(page)).hasText(new String[] {"Reviewer Grouptown"});
    assertThat(page).hasURL(Pattern.compile("group=parent"));
  }

  @Test
  void zonesChangeEveryTimeOfTheFleet(Tab tab) {
    SignedIn.CLIENT.heartbeat(team("Zonewood").getFirst(), WEDGED);
    Page page = SignedIn.asAdmin(tab, "/ui/fleet?q=reviewer+zonewood");
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
}
