package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The palette, the sheet of keys, and the keys that go to pages. */
@InBrowser(sharesCache = true)
class PaletteTest {

  private static Locator dialog(Page page) {
    return page.getByRole(AriaRole.DIALOG);
  }

  /** Opens the palette by keys, types, and goes to the first that is found. */
  private static void choose(Page page, String words) {
    page.keyboard().press("Control+k");
    page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Page, workspace"))
        .fill(words);
    assertThat(dialog(page).getByRole(AriaRole.OPTION).first()).isVisible();
    page.keyboard().press("Enter");
  }

  private static void confirm(Page page, String question, String button, String done) {
    assertThat(dialog(page)).containsText(question);
    dialog(page)
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(button).setExact(true))
        .click();
    assertThat(page.locator("#toasts")).containsText(done);
  }

  @Test
  void operatorsUseKeysAndThePalette(Tab tab) {
    Page page = tab.openLive(CLIENT.baseUrl(), ADMIN_TOKEN, "/ui/queue");
    walksByArrowsAndSaysThatNothingMatches(tab);
    goesToPagesByTwoKeysAndTurnsThemOff(tab);
    tab.expects("status of 401|HTTP Authentication failed"); // what is on its way when it signs out
    reachesPagesAndActions(page);
  }

  private static void reachesPagesAndActions(Page page) {
    String name = "Palette " + UUID.randomUUID();
    Agent agent = CLIENT.createOnline(name);
    choose(page, "operations: jobs");
    page.waitForURL(CLIENT.baseUrl() + "/ui/ops?tab=jobs");
    choose(page, agent.id().toString());
    page.waitForURL(CLIENT.baseUrl() + "/ui/w/" + agent.id());
    choose(page, "fleet page");
    choose(page, name.toLowerCase(Locale.ROOT));
    page.waitForURL(CLIENT.baseUrl() + "/ui/w/" + agent.id());
    choose(page, "mess " + name);
    page.waitForURL(CLIENT.baseUrl() + "/ui/w/" + agent.id() + "?tab=chat&focus=write");
    choose(page, "rest " + name);
    confirm(page, "Restart " + name, "Restart", "restart requested");
    assertThat(CLIENT.heartbeat(agent).field("restart_requested_at")).isNotEmpty();
    choose(page, "pau " + name);
    confirm(page, "Pause " + name, "Pause", "paused");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("paused");
    choose(page, "resu " + name);
    confirm(page, "Resume " + name, "Resume", "resumed");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
    choose(page, "rem " + name);
    dialog(page).getByLabel("Type its name").fill(name);
    confirm(page, "Remove this workspace?", "Remove", "removed");
    assertThat(CLIENT.get("/workspaces/" + agent.id(), ADMIN_TOKEN).status()).isEqualTo(410);
    choose(page, "theme: dark");
    assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
    choose(page, "sign out");
    assertThat(page.getByLabel("Token")).isVisible();
  }

  private static void walksByArrowsAndSaysThatNothingMatches(Tab tab) {
    Page page = tab.page();
    page.keyboard().press("Control+k");
    Locator field = page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Page"));
    assertThat(field).isFocused();
    assertThat(field).hasAttribute("aria-activedescendant", "palette-0");
    page.keyboard().press("ArrowDown");
    assertThat(field).hasAttribute("aria-activedescendant", "palette-1");
    assertThat(page.locator("#palette-1")).hasAttribute("aria-selected", "true");
    Accessibility.check(tab);
    field.fill("no such thing anywhere");
    assertThat(dialog(page)).containsText("Nothing has this name.");
    Accessibility.check(tab);
    page.keyboard().press("Escape");
    assertThat(dialog(page)).hasCount(0);
  }

  private static void goesToPagesByTwoKeysAndTurnsThemOff(Tab tab) {
    Page page = tab.page();
    for (Map.Entry<String, String> place :
        Map.of("d", "/ui/delegations", "q", "/ui/queue", "r", "/ui/runs", "f", "/").entrySet()) {
      tab.goByKeys(place.getKey(), CLIENT.baseUrl() + place.getValue());
    }
    tab.goByKeys("o", CLIENT.baseUrl() + "/ui/ops");

    page.keyboard().press("?");
    assertThat(dialog(page)).containsText("Ctrl");
    Accessibility.check(tab);
    page.getByLabel("Single-key shortcuts").last().uncheck();
    page.keyboard().press("Escape");
    page.reload();
    assertThat(page.locator(".user")).isVisible();
    page.keyboard().press("?");
    page.keyboard().press("g");
    page.keyboard().press("d");
    assertThat(dialog(page)).hasCount(0);
    assertThat(page.url()).isEqualTo(CLIENT.baseUrl() + "/ui/ops");
    page.keyboard().press("Control+k");
    assertThat(dialog(page)).hasCount(1);
    page.keyboard().press("Escape");
  }

  @Test
  void agentsFindNoPageThatTheServerRefusesThem(Tab tab) {
    Agent agent = CLIENT.createOnline("Looks on " + UUID.randomUUID());
    Page page = SignedIn.as(tab, agent.token(), "/ui/runs");
    assertThat(page.getByRole(AriaRole.NAVIGATION).getByRole(AriaRole.LINK))
        .hasText(new String[] {"Fleet", "Runs", "Tokens"});
    page.keyboard().press("g");
    page.keyboard().press("o");
    page.keyboard().press("?");
    assertThat(dialog(page)).containsText("runs");
    assertThat(dialog(page)).not().containsText("operations");
    page.keyboard().press("Escape");
    assertThat(page).hasURL(CLIENT.baseUrl() + "/ui/runs");
    page.keyboard().press("Control+k");
    Locator field = page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Page"));
    for (String name : List.of("operations", "queue", "delegations")) {
      field.fill(name);
      assertThat(dialog(page).getByRole(AriaRole.OPTION)).hasCount(0);
    }
    field.fill("tokens");
    assertThat(dialog(page).getByRole(AriaRole.OPTION)).hasText("Tokens page");
  }
}
