package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** How Muster itself is, how it is set, and who may use it. */
@InBrowser(sharesCache = true)
class OperationsPageTest {

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

  /** {@link EveryPageTest} looks for barriers on each of these. */
  @Test
  void operatorsLookAfterMuster(Tab tab) {
    Page page = SignedIn.asAdmin(tab, "/ui/ops");
    assertThat(page.locator(".figures")).containsText(Pattern.compile("answers in [\\d.]+ ms"));
    assertThat(row(page, "answers this page")).containsText("reports");
    SignedIn.follow(page, "/ui/ops?tab=jobs");
    assertThat(row(page, "liveness-sweep").first()).containsText("ok");
    assertThat(row(page, "uptime-ticks")).containsText("ok");
    showsSettingsAndNoSecret(page);
    makesALinkThatSignsInOnceAndTakesOneBack(tab);
    mintsATokenThatOnlyReadsAndRevokesIt(tab);
  }

  private static void showsSettingsAndNoSecret(Page page) {
    SignedIn.follow(page, "/ui/ops?tab=settings");
    assertThat(row(page, "STALE_AFTER_S").first()).containsText("180");
    assertThat(row(page, "ADMIN_TOKEN")).containsText("set, not shown");
    assertThat(page.content()).doesNotContain(ADMIN_TOKEN);
    page.getByLabel("Show").selectOption("yes");
    assertThat(row(page, "STALE_AFTER_S")).hasCount(0);
    assertThat(row(page, "ADMIN_TOKEN")).containsText("command line");
  }

  private static void makesALinkThatSignsInOnceAndTakesOneBack(Tab tab) {
    Page page = tab.page();
    SignedIn.follow(page, "/ui/ops?tab=access");
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

    String code = link.replaceFirst(".*#start=", "");
    assertThat(CLIENT.post("/console/session", null, "{\"code\":\"" + code + "\"}").status())
        .isEqualTo(201);
    SignedIn.follow(page, "/ui/ops?tab=health");
    SignedIn.follow(page, "/ui/ops?tab=access");
    assertThat(row(page, "Wall screen")).hasCount(1); // no link any more, but a session
    row(page, "Wall screen").getByText("End").click();
    button(page, "End").last().click();
    assertThat(row(page, "Wall screen")).hasCount(0);

    button(page, "Make a link").click();
    page.getByLabel("For whom or what").fill("Lost");
    button(page, "Make").click();
    button(page, "I have copied it").click();
    row(page, "Lost").getByText("Take back").click();
    button(page, "Take back").last().click();
    assertThat(row(page, "Lost")).hasCount(0);
  }

  private static void mintsATokenThatOnlyReadsAndRevokesIt(Tab tab) {
    Page page = tab.page();
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
}
