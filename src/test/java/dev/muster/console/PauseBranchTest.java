package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A lead that has agents below it is paused with its whole branch, wherever its button is. */
@InBrowser
class PauseBranchTest {

  private static final String WEDGED = "\"runtime_state\":\"wedged\",\"sample_error\":\"stuck\"";

  private final String name = "Lead " + UUID.randomUUID();
  private final Agent lead = CLIENT.createOnline(name);
  private final Agent below =
      CLIENT.createOnline("Below " + name, "\"parent_id\":\"" + lead.id() + "\"");

  private static Locator dialog(Page page) {
    return page.getByRole(AriaRole.DIALOG);
  }

  private static void press(Locator where, String name) {
    where
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true))
        .click();
  }

  private static String status(Agent agent) {
    return CLIENT.read(agent).path("status").asString();
  }

  private void pausesAll(Page page) {
    assertThat(dialog(page)).hasCount(1);
    assertThat(dialog(page)).containsText("Pause the whole branch?");
    assertThat(dialog(page))
        .containsText(
            "the workspace has children (1), which are paused with it; confirm this"
                + " (?cascade=true)");
    assertThat(status(below)).isEqualTo("online");
    press(dialog(page), "Pause all");
    assertThat(dialog(page)).hasCount(0);
  }

  @Test
  void onThePageOfTheLead(Tab tab) {
    tab.expects("status of 409");
    Page page = SignedIn.asAdmin(tab, "/ui/w/" + lead.id());
    press(page.locator(".workspace-head"), "Pause");
    press(dialog(page), "Pause");
    assertThat(dialog(page)).containsText("Pause the whole branch?");
    Accessibility.check(tab);
    press(dialog(page), "Keep as it is");
    assertThat(dialog(page)).hasCount(0);
    assertThat(status(lead)).isEqualTo("online");

    press(page.locator(".workspace-head"), "Pause");
    press(dialog(page), "Pause");
    pausesAll(page);
    assertThat(page.locator(".status-line")).containsText("paused");
    assertThat(status(below)).isEqualTo("paused");
  }

  @Test
  void inTheFleet(Tab tab) {
    tab.expects("status of 409");
    CLIENT.heartbeat(lead, WEDGED);
    Page page = SignedIn.asAdmin(tab, "/ui/fleet?q=" + lead.id() + "&sel=" + lead.id());
    press(page.getByRole(AriaRole.COMPLEMENTARY), "Pause");
    press(dialog(page), "Keep as it is");
    assertThat(page.locator("#toasts")).hasCount(0);

    press(page.getByRole(AriaRole.COMPLEMENTARY), "Pause");
    pausesAll(page);
    assertThat(page.locator("#toasts")).containsText(name + ": paused with all below it");
    assertThat(page.getByRole(AriaRole.COMPLEMENTARY)).containsText("paused");
    assertThat(status(below)).isEqualTo("paused");
  }

  @Test
  void inThePalette(Tab tab) {
    tab.expects("status of 409");
    Page page = SignedIn.asAdmin(tab, "/ui/queue");
    assertThat(page.locator("#connection")).containsText("Live");
    page.keyboard().press("Control+k");
    page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Page, workspace"))
        .fill("pause " + lead.id());
    assertThat(dialog(page).getByRole(AriaRole.OPTION)).containsText(name);
    page.keyboard().press("Enter");
    press(dialog(page), "Pause");
    pausesAll(page);
    assertThat(page.locator("#toasts")).containsText(name + ": paused with all below it");
    assertThat(status(below)).isEqualTo("paused");
  }
}
