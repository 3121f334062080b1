package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.FleetOutageTest.LATE;
import static dev.muster.console.FleetOutageTest.LOST;
import static dev.muster.console.FleetOutageTest.SHORT_WATCH;
import static dev.muster.console.SignedIn.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The console as the author of an agent sees it who has signed in with its workspace's token. */
@InBrowser
class AgentSessionTest {

  /** A lead with two agents below it, and one that is not of this family. */
  private record Family(String name, Agent lead, Agent agent) {

    static Family create() {
      String name = UUID.randomUUID().toString().substring(0, 8);
      Agent lead = CLIENT.createOnline("Lead " + name);
      String below = "\"parent_id\":\"" + lead.id() + "\"";
      CLIENT.createOnline("Sibling " + name, below);
      CLIENT.createOnline(
          "Stranger " + name, "\"parent_id\":\"" + CLIENT.create("Other").id() + "\"");
      return new Family(name, lead, CLIENT.createOnline("Author " + name, below));
    }

    Page open(Tab tab, String path) {
      return tab.openLive(CLIENT.baseUrl(), agent.token(), path);
    }
  }

  private static Locator names(Page page) {
    return page.locator(".fleet-space .fleet-row:not([hidden]) .name-link");
  }

  private static List<String> refusals(Page page) {
    List<String> refused = new CopyOnWriteArrayList<>();
    page.onResponse(response -> {
      if (response.status() >= 400) {
        refused.add(response.status() + " " + response.url());
      }
    });
    return refused;
  }

  @Test
  void agentTokenSeesItsFamilyOnly(Tab tab) {
    Family family = Family.create();
    List<String> refused = refusals(tab.page());

    Page page = family.open(tab, "/?sort=name");

    assertThat(names(page))
        .hasText(
            new String[] {
              "Author " + family.name(), "Lead " + family.name(), "Sibling " + family.name()
            });
    assertThat(page.getByRole(AriaRole.SLIDER)).hasCount(0);
    assertThat(page.locator("#page")).not().containsText("token");
    assertThat(page.getByRole(AriaRole.CHECKBOX).locator("visible=true")).hasCount(0);
    assertThat(refused).isEmpty();
    Accessibility.check(tab);

    names(page).first().click();
    assertThat(page.locator(".status-line")).containsText("online");
    for (String tabOfPage : List.of("Timeline", "Chat", "Delegations", "Runs", "Tokens", "Card")) {
      page.getByRole(AriaRole.NAVIGATION, new Page.GetByRoleOptions().setName("Parts"))
          .getByText(tabOfPage)
          .click();
      assertThat(page.locator(".tab-page .loading")).hasCount(0);
    }
    for (String title : List.of("Runs", "Tokens", "Fleet")) {
      page.getByRole(AriaRole.NAVIGATION, new Page.GetByRoleOptions().setName("Pages"))
          .getByText(title)
          .click();
      assertThat(page.locator("#page .loading")).hasCount(0);
    }
    assertThat(names(page)).hasCount(3);
    assertThat(refused).isEmpty();
  }

  @Test
  void saysOfALinkToThePastThatItIsNotForAgents(Tab tab) {
    Family family = Family.create();
    List<String> refused = refusals(tab.page());

    Page page = family.open(tab, "/ui/fleet?at=" + Instant.now().minusSeconds(600));

    assertThat(page.getByText("The fleet as it was is not for agents")).isVisible();
    assertThat(names(page)).hasCount(3);
    Accessibility.check(tab);
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Leave the past")).click();
    assertThat(page).not().hasURL(Pattern.compile("at="));
    assertThat(page.getByText("The fleet as it was is not for agents")).hasCount(0);

    page.keyboard().press("?");
    Locator keys = page.getByRole(AriaRole.DIALOG);
    assertThat(keys).containsText("filter the fleet");
    assertThat(keys).not().containsText("band of times");
    assertThat(keys).not().containsText("select");
    assertThat(refused).isEmpty();
  }

  @Test
  void itsOwnPastIsShown(Tab tab) {
    Family family = Family.create();
    Page page =
        family.open(tab, "/ui/w/" + family.agent().id() + "?at=" + Instant.now().minusMillis(1));

    assertThat(page.locator(".past-line")).containsText("As it was");
    assertThat(page.getByText("Back to now")).isVisible();
    assertThat(page.getByText("The fleet then")).hasCount(0);
  }

  /** T1, T3: an agent's session has a stream of its own, and lists that do not say why. */
  @Test
  void aHangIsSaidToAnAgentAsWell(Tab tab) throws IOException {
    int port = URI.create(CLIENT.baseUrl()).getPort();
    try (TcpRelay wire = new TcpRelay(port)) {
      Agent lead = CLIENT.createOnline("Lead");
      String below = "\"parent_id\":\"" + lead.id() + "\"";
      Agent own = CLIENT.createOnline("Own", below);
      Agent sibling = CLIENT.createOnline("Sibling", below);
      CLIENT.heartbeat(sibling, "\"runtime_state\":\"wedged\"");
      tab.expects(LOST);
      Page page = tab.openLive("http://127.0.0.1:" + wire.port(), own.token(), "/ui/fleet");
      Locator row =
          page.locator(".fleet-row:visible")
              .filter(new Locator.FilterOptions().setHasText("Sibling"));
      assertThat(row.locator(".col-why")).containsText("Degraded; its page says why", LATE);
      page.evaluate(SHORT_WATCH);

      wire.swallow();

      assertThat(page.locator("#connection")).containsText("Not answering", LATE);
      assertThat(page.locator("#banner")).containsText("data as of");
      CLIENT.heartbeat(sibling, "\"runtime_state\":\"ok\"");
      wire.heal(port);
      assertThat(page.locator("#connection")).containsText("Live", LATE);
      assertThat(row.locator(".col-status")).containsText("online", LATE);
      assertThat(page.locator("#banner[data-kind=connection]")).hasCount(0);
      tab.leave();
    }
  }
}
