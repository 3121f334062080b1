package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.console.bulk.BulkFleet;
import dev.muster.testing.TestClient.Agent;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The session of a viewer, who reads all and is offered no change of anything. */
@InBrowser(sharesCache = true)
class ViewerSessionTest {

  private static Locator options(Page page, String words) {
    page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Page")).fill(words);
    return page.getByRole(AriaRole.DIALOG).getByRole(AriaRole.OPTION);
  }

  private static Locator link(Page page, String name) {
    return page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(name));
  }

  @Test
  void viewersLookOnly(Tab tab) {
    String name = "Looked at " + UUID.randomUUID();
    CLIENT.createOnline(name);
    CLIENT.createOnline(name);
    Page page = SignedIn.asViewer(tab, "/ui/ops");
    assertThat(page.locator("#connection")).containsText("Live");
    assertThat(page.locator(".tabs a")).hasText(new String[] {"Health", "Jobs", "Settings"});
    assertThat(page.locator(".figures")).isVisible();

    paletteFindsPagesAndNoActions(page, name);
    fleetAndBulkRunsHaveNoButtons(page, name);
    queueHasNoButtons(page);
  }

  private static void paletteFindsPagesAndNoActions(Page page, String name) {
    page.locator(".user > button").click();
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Find")).click();
    assertThat(options(page, name)).hasCount(2);
    for (String words :
        List.of("pause " + name, "remove " + name, "operations: audit", "new workspace")) {
      assertThat(options(page, words)).hasCount(0);
    }
    page.keyboard().press("Escape");
  }

  private static void fleetAndBulkRunsHaveNoButtons(Page page, String name) {
    BulkFleet.run(CLIENT, "\"action\":\"pause\",\"filter\":\"name:\\\"" + name + "\\\"\"");
    SignedIn.follow(page, "/ui/fleet?q=name:%22" + name + "%22");
    Locator grid = page.getByRole(AriaRole.GRID);
    assertThat(grid).hasAttribute("aria-rowcount", "3");
    grid.focus();
    page.keyboard().press("x");
    assertThat(
            page.getByRole(
                AriaRole.REGION, new Page.GetByRoleOptions().setName("Selected workspaces")))
        .hasCount(0);
    assertThat(page.locator(".col-choose input").first()).isHidden();
    link(page, "Bulk runs").click();
    link(page, "Pause 2 workspaces").first().click();
    assertThat(page.locator(".bulk-progress")).containsText("2 paused");
    assertThat(page.locator("main button:not([aria-label])")).hasCount(0);
  }

  private static void queueHasNoButtons(Page page) {
    Agent target = QueuePageTest.targetOf(CLIENT, "Called", "http://127.0.0.1:9/", 1);
    SignedIn.follow(page, "/ui/w/" + target.id() + "?tab=queue");
    assertThat(page.locator("tbody")).containsText("waiting");
    for (String action : List.of("Retry now", "Expire", "Cancel", "Pause", "Restart", "Remove…")) {
      assertThat(page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(action)))
          .hasCount(0);
    }
    assertThat(page.locator("#page .tabs").getByText("Tokens")).hasCount(0);
  }
}
