package dev.muster.canvas;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.canvas.ExistingCanvas.assertShows;
import static dev.muster.canvas.ExistingCanvas.at;
import static dev.muster.canvas.ExistingCanvas.card;
import static dev.muster.canvas.ExistingCanvas.choose;
import static dev.muster.canvas.ExistingCanvas.client;
import static dev.muster.canvas.ExistingCanvas.openMap;
import static dev.muster.canvas.ExistingCanvas.panel;
import static dev.muster.canvas.ExistingCanvas.read;
import static dev.muster.canvas.ExistingCanvas.under;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.console.Tab;
import dev.muster.testing.TestClient.Agent;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What one does to workspaces at an existing canvas: pause, restart, create, remove. */
@ExistingCanvas.Tests
class CanvasActionsTest {

  private static Locator button(Locator in, String name) {
    return in.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name));
  }

  @Test
  void pausesAndResumesABranch(Tab tab) {
    Agent team = client().createOnline("Team", at(100, 100));
    Agent member = client().createOnline("Member", under(team), at(150, 250));
    Page page = openMap(tab);
    choose(page, team, "Pause");
    assertShows(card(page, team), "PAUSED");
    assertShows(card(page, member), "PAUSED");
    choose(page, team, "Resume");
    await()
        .until(() ->
            read("/workspaces/" + member.id()).path("status").asString().equals("awaiting_agent"));
    client().heartbeat(team);
    client().heartbeat(member);
    assertThat(card(page, team)).hasAttribute("aria-label", Pattern.compile("— online"));
    assertThat(card(page, member)).hasAttribute("aria-label", Pattern.compile("— online"));
  }

  @Test
  void removesABranchAndForgetsWhatWasRemovedElsewhere(Tab tab) {
    tab.expects("status of 410"); // the canvas may be reading one of them
    Agent team = client().createOnline("Zoë's team", at(100, 100));
    Agent member = client().createOnline("Member", under(team), at(150, 250));
    Agent other = client().createOnline("Other", at(800, 100));
    Page page = openMap(tab);
    choose(page, team, "Delete");
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Delete All")).click();
    assertThat(card(page, team)).hasCount(0);
    assertThat(card(page, member)).hasCount(0);
    assertThat(client().get("/workspaces/" + member.id(), ADMIN_TOKEN).status()).isEqualTo(410);
    client().delete("/workspaces/" + other.id(), ADMIN_TOKEN);
    assertThat(card(page, other)).hasCount(0);
  }

  @Test
  void restartsAWedgedAgentAndShowsItWell(Tab tab) {
    Agent agent = client().create("Wedged");
    client()
        .heartbeat(agent, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"SDK init timeout\"");
    Page page = openMap(tab);
    Locator panel = panel(page, agent, "details");
    assertThat(panel.getByTestId("details-error-log")).hasText("SDK init timeout");
    button(panel, "Restart").click();
    await()
        .until(() ->
            client()
                .heartbeat(agent, "\"runtime_state\":\"wedged\"")
                .json()
                .hasNonNull("restart_requested_at"));
    // its agent reads the request, ends, and is started anew
    client()
        .post(
            "/registry/register",
            agent.token(),
            "{\"id\":\"%s\",\"agent_card\":{\"name\":\"Wedged\"}}".formatted(agent.id()));
    assertThat(card(page, agent)).hasAttribute("aria-label", Pattern.compile("— online"));
    assertThat(client().heartbeat(agent).json().has("restart_requested_at")).isFalse();
  }

  @Test
  void createsAWorkspaceAndTellsHowToConnectItsAgent(Tab tab) {
    Agent first = client().createOnline("First");
    Page page = openMap(tab);
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("New Workspace")).click();
    Locator dialog = page.getByRole(AriaRole.DIALOG);
    dialog.getByText("External agent").first().click();
    dialog.getByLabel("Name").first().fill("Made here");
    button(dialog, "Create").last().click();
    await().until(() -> read("/workspaces?q=Made+here").size() == 1);
    JsonNode made = read("/workspaces?q=Made+here").get(0);
    assertThat(made.path("runtime").asString()).isEqualTo("external");
    assertThat(made.path("status").asString()).isEqualTo("awaiting_agent");
    assertThat(page.getByRole(AriaRole.DIALOG)).containsText(made.path("id").asString());
    page.keyboard().press("Escape");
    Agent agent = new Agent(UUID.fromString(made.path("id").asString()), "");
    assertThat(card(page, agent)).containsText("Made here");
    assertThat(card(page, first)).isVisible();
  }

  @Test
  void removesAWorkspaceFromItsPanel(Tab tab) {
    Agent kept = client().createOnline("Kept", "\"canvas\":{\"x\":600,\"y\":0}");
    Agent agent = client().createOnline("Gone", "\"canvas\":{\"x\":0,\"y\":0}");
    Page page = openMap(tab);
    Locator panel = panel(page, agent, "details");
    button(panel, "Delete Workspace").click();
    button(panel, "Confirm Delete").click();
    assertThat(card(page, agent)).hasCount(0);
    assertThat(card(page, kept)).isVisible();
    assertThat(client().get("/workspaces/" + agent.id(), ADMIN_TOKEN).status()).isEqualTo(410);
    assertThat(client().heartbeat(agent).status()).isEqualTo(410);
  }
}
