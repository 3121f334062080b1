package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tokens: a new one is shown once, a revoked one stops its agent. */
@InBrowser(sharesCache = true)
class TokensPageTest {

  @Test
  void operatorsFindMintAndRevokeTokens(Tab tab) {
    Page page = SignedIn.asAdmin(tab, "/ui/tokens?use=never");
    findsTokensThatAreNotUsed(page);
    mintedTokenIsShownOnceAndWorks(tab);
    revokedTokenStopsItsAgent(page);
  }

  private static void findsTokensThatAreNotUsed(Page page) {
    Agent used = CLIENT.createOnline("Used");
    Agent unused = CLIENT.create("Unused");
    SignedIn.follow(page, "/ui/tokens?use=never&ws=" + unused.id());
    assertThat(page.locator("tbody tr")).hasCount(1);
    assertThat(page.locator("tbody tr")).containsText("never");
    SignedIn.follow(page, "/ui/tokens?use=never&ws=" + used.id());
    assertThat(page.getByText("No token matches.")).isVisible();
    page.getByLabel("Use").selectOption("");
    assertThat(page.locator("tbody tr")).hasCount(1);
  }

  private static void mintedTokenIsShownOnceAndWorks(Tab tab) {
    Agent agent = CLIENT.create("Tokens");
    Page page = tab.page();
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=tokens");
    assertThat(page.locator("tbody tr")).hasCount(1);

    page.getByText("Mint a token").click();
    Locator dialog = page.getByRole(AriaRole.DIALOG);
    String token = dialog.locator(".secret code").innerText();
    assertThat(CLIENT.heartbeat(new Agent(agent.id(), token)).status()).isEqualTo(200);
    assertThat(dialog).containsText("MUSTER_TOKEN=" + token + " muster-agent connect");
    Accessibility.check(tab);

    dialog.getByText("I have copied it").click();
    assertThat(dialog).hasCount(0);
    assertThat(page.locator("tbody tr")).hasCount(2);
    assertThat(page.content()).doesNotContain(token);
    assertThat(page.evaluate("() => JSON.stringify([localStorage, sessionStorage, location.href])"))
        .asString()
        .doesNotContain(token);
  }

  private static void revokedTokenStopsItsAgent(Page page) {
    Agent agent = CLIENT.createOnline("Revoked");
    SignedIn.follow(page, "/ui/tokens?ws=" + agent.id());
    assertThat(page.locator("tbody tr")).hasCount(1);
    Locator commands = page.locator("details.curl code");
    assertThat(commands).hasCount(2);
    assertThat(commands.last())
        .hasText(
            "curl -s -X POST $MUSTER/admin/workspaces/" + agent.id() + "/tokens -H \"$ADMIN\"");

    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Revoke")).click();
    Locator dialog = page.getByRole(AriaRole.DIALOG);
    assertThat(dialog).containsText("This cannot be undone");
    dialog.getByText("Keep as it is").click();
    assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(200);

    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Revoke")).click();
    dialog.locator("button.danger").click();
    assertThat(page.getByText("This workspace has no token")).isVisible();
    Awaitility.await()
        .untilAsserted(() -> assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(401));
  }
}
