package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Drafts and messages that a person's browser keeps are not for the next person. */
@InBrowser(sharesCache = true)
class PersonalTextsTest {

  private static final String KEPT =
      """
      () => new Promise(done => setTimeout(done))
        .then(() => Object.keys(localStorage).filter(key => key.startsWith('muster-chat:')).length)
      """;

  private static final String SESSION =
      """
      async () => {
        const headers = { 'X-Muster-Page': localStorage.getItem('muster-page') };
        return (await (await fetch('/console/session', { headers })).json()).id;
      }
      """;

  private final Agent agent = CLIENT.createOnline("Reads " + UUID.randomUUID());
  private final String chat = "/ui/w/" + agent.id() + "?tab=chat";

  private static Locator field(Page page) {
    return page.getByLabel("Message to the agent");
  }

  @Test
  void goWhenASessionIsEnded(Tab tab) {
    tab.expects("status of 401|HTTP Authentication failed");
    Page page = SignedIn.asAdmin(tab, chat);
    List<Route> held = new CopyOnWriteArrayList<>();
    page.route("**/a2a", held::add);
    field(page).fill("a message on its way");
    field(page).press("Enter");
    page.waitForCondition(() -> held.size() == 1);
    field(page).fill("half a thought");
    assertThat(page.evaluate(KEPT)).isEqualTo(1);

    CLIENT.delete("/console/sessions/" + page.evaluate(SESSION), ADMIN_TOKEN);
    assertThat(page.getByLabel("Token")).isVisible();
    assertThat(page.evaluate(KEPT)).isEqualTo(0);
    page.waitForResponse(
        "**/a2a",
        () -> held.getFirst().fulfill(new Route.FulfillOptions().setStatus(200).setBody("{}")));
    assertThat(page.evaluate(KEPT)).isEqualTo(0);

    page.getByLabel("Token").fill(ADMIN_TOKEN);
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign in")).click();
    assertThat(field(page)).hasValue("");
    assertThat(page.locator(".chat")).not().containsText("on its way");
  }

  @Test
  void goWhenAnotherPersonSignsInInstead(Tab tab) {
    tab.expects("status of 401|HTTP Authentication failed");
    Page page = SignedIn.asAdmin(tab, chat);
    field(page).fill("half a thought");
    assertThat(page.evaluate(KEPT)).isEqualTo(1);

    page.navigate(
        CLIENT
            .post("/console/links", ADMIN_TOKEN, "{\"role\":\"operator\",\"name\":\"day shift\"}")
            .field("url"));
    assertThat(page.locator(".user")).containsText("day shift");
    assertThat(page.evaluate(KEPT)).isEqualTo(0);
    page.navigate(CLIENT.baseUrl() + chat);
    assertThat(field(page)).hasValue("");
  }
}
