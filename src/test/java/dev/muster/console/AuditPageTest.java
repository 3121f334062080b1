package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The audit: who changed what, found again by whom, what and when. */
@InBrowser(sharesCache = true)
class AuditPageTest {

  private static Locator rows(Page page) {
    return page.locator("tbody tr:not(.detail)");
  }

  @Test
  void operatorsReadTheAudit(Tab tab) {
    Page page = SignedIn.asAdmin(tab, "/ui/ops?tab=audit");
    namesWhoDidWhat(page);
    Accessibility.check(tab);
    findsRowsAndKeepsTheSearchInTheAddress(page);
    showsMorePages(page);
    showsTextOfOthersAsText(page);
    breaksALongNameOnAPhone(page);
    tab.expects("status of 400");
    showsTheServersSentence(page);
  }

  private static void namesWhoDidWhat(Page page) {
    Agent agent = CLIENT.createOnline("Reviewer of the audit");
    SignedIn.follow(page, "/ui/w/" + agent.id());
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Pause")).first().click();
    page.getByRole(AriaRole.DIALOG)
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Pause"))
        .click();
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Resume")).first().click();
    assertThat(page.getByText("Awaiting").first()).isVisible();

    SignedIn.follow(page, "/ui/ops?tab=audit&target=" + agent.id());
    assertThat(rows(page)).hasCount(3);
    assertThat(rows(page).nth(0)).containsText("night shift");
    assertThat(rows(page).nth(0)).containsText("operator");
    assertThat(rows(page).nth(0)).containsText("resumed");
    assertThat(rows(page).nth(0)).containsText("Reviewer of the audit");
    assertThat(rows(page).nth(0)).containsText("done");
    assertThat(rows(page).nth(1)).containsText("paused");
    assertThat(rows(page).nth(2)).containsText("created a workspace");

    JsonNode newest =
        CLIENT.get("/admin/audit?limit=1&target=" + agent.id(), ADMIN_TOKEN).json().get(0);
    rows(page).nth(0).getByText("Details").click();
    assertThat(page.locator("tr.detail")).containsText(newest.path("request_id").asString());
    assertThat(page.locator("tr.detail")).containsText("POST /workspaces/{id}/resume");
  }

  private static void findsRowsAndKeepsTheSearchInTheAddress(Page page) {
    Agent agent = CLIENT.create("Sought");
    CLIENT.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
    SignedIn.follow(page, "/ui/ops?tab=audit&target=" + agent.id());
    assertThat(rows(page)).hasCount(2);
    page.getByLabel("Did").selectOption("/pause");
    assertThat(rows(page)).hasCount(1);
    page.getByLabel("Who").fill("nobody of that name");
    assertThat(page.getByText("No row matches.")).isVisible();
    page.reload();
    assertThat(page.getByLabel("Who")).hasValue("nobody of that name");
    assertThat(page.getByText("No row matches.")).isVisible();
    page.getByLabel("Who").fill("ADMIN");
    assertThat(rows(page)).hasCount(1);
    page.getByLabel("When").selectOption("1h");
    assertThat(rows(page)).hasCount(1);
    page.getByLabel("When").selectOption("between");
    page.getByLabel("to", new Page.GetByLabelOptions().setExact(true)).fill("2026-01-01T02:00:01");
    assertThat(page.getByText("No row matches.")).isVisible();
    assertThat(page.url()).contains("before=2026-01-01T02%3A00%3A01.000Z");
    page.goBack();
    page.goBack();
    assertThat(rows(page)).hasCount(1);
  }

  private static void showsMorePages(Page page) {
    Agent agent = CLIENT.create("Paged");
    for (int i = 0; i < 104; i++) {
      String verb = i % 2 == 0 ? "/pause" : "/resume";
      CLIENT.post("/workspaces/" + agent.id() + verb, ADMIN_TOKEN, "");
    }
    SignedIn.follow(page, "/ui/ops?tab=audit&target=" + agent.id());
    assertThat(rows(page)).hasCount(100);
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("More")).click();
    assertThat(rows(page)).hasCount(105);
  }

  private static void showsTextOfOthersAsText(Page page) {
    String name = "<b id=x>" + UUID.randomUUID() + "\u200b";
    CLIENT.post(
        "/console/session", null, "{\"token\":\"" + ADMIN_TOKEN + "\",\"name\":\"" + name + "\"}");
    SignedIn.follow(page, "/ui/ops?tab=audit&who=" + name.substring(8, 30));
    assertThat(rows(page).first()).containsText("<b id=x>");
    assertThat(rows(page).first()).containsText("⟨U+200B⟩");
    assertThat(page.locator("#x")).hasCount(0);
  }

  private static void breaksALongNameOnAPhone(Page page) {
    CLIENT.create("Long" + "name".repeat(40));
    page.setViewportSize(360, 740);
    SignedIn.follow(page, "/ui/ops?tab=audit");
    assertThat(rows(page).filter(new Locator.FilterOptions().setHasText("Longname")).first())
        .isVisible();
    assertThat(page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
        .isEqualTo(true);
  }

  private static void showsTheServersSentence(Page page) {
    SignedIn.follow(page, "/ui/ops?tab=audit&after=yesterday");
    assertThat(page.getByRole(AriaRole.ALERT).first())
        .containsText("after: not a time (expected: RFC 3339");
  }
}
