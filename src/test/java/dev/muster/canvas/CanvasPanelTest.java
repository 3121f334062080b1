package dev.muster.canvas;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.canvas.ExistingCanvas.card;
import static dev.muster.canvas.ExistingCanvas.client;
import static dev.muster.canvas.ExistingCanvas.openMap;
import static dev.muster.canvas.ExistingCanvas.panel;
import static dev.muster.canvas.ExistingCanvas.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.console.Tab;
import dev.muster.testing.TestClient.Agent;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The side panel of an existing canvas: activity, details, events, restart, and new workspaces. */
@ExistingCanvas.Tests
class CanvasPanelTest {

  private static Locator button(Locator in, String name) {
    return in.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name));
  }

  private static void log(Agent agent, String fields) {
    assertThat(
            client()
                .post("/workspaces/" + agent.id() + "/activity", agent.token(), "{" + fields + "}")
                .status())
        .isEqualTo(200);
  }

  @Test
  void showsTheActivityAndWhatIsAddedToIt(Tab tab) {
    Agent agent = client().createOnline("Busy");
    log(agent, "\"activity_type\":\"agent_log\",\"summary\":\"cloned the repository\"");
    Page page = openMap(tab);
    Locator panel = panel(page, agent, "activity");
    assertThat(panel).containsText("cloned the repository");
    log(
        agent,
        "\"activity_type\":\"error\",\"summary\":\"build"
            + " failed\",\"status\":\"error\",\"error_detail\":\"no such file\"");
    assertThat(panel).containsText("build failed");
    assertThat(panel).containsText("no such file");
    log(
        agent,
        """
        "activity_type":"a2a_send","summary":"asked","request_body":{"params":{"message":{"parts":[{"kind":"text","text":"what is new?"}]}}}\
        """);
    panel.getByText("asked").click();
    assertThat(panel).containsText("what is new?"); // the body came with the event
    assertThat(panel.getByText("cloned the repository")).hasCount(1);
  }

  @Test
  void showsDetailsAndPeersAndStoresChanges(Tab tab) {
    Agent team = client().createOnline("Team", "\"canvas\":{\"x\":100,\"y\":100}");
    String parent = "\"parent_id\":\"" + team.id() + "\"";
    Agent agent =
        client()
            .createOnline(
                "Reviewer", parent, "\"role\":\"reviews\"", "\"canvas\":{\"x\":150,\"y\":250}");
    client().createOnline("Colleague", parent, "\"canvas\":{\"x\":500,\"y\":250}");
    Page page = openMap(tab);
    Locator panel = panel(page, agent, "details");
    assertThat(panel).containsText("reviews");
    assertThat(panel).containsText(team.id().toString());
    assertThat(panel).containsText("Colleague");
    button(panel, "Edit").click();
    panel.getByLabel("Name").fill("Critic");
    panel.getByLabel("Role").fill("");
    panel.getByLabel("Tier").selectOption("1");
    button(panel, "Save").click();
    await().until(() -> read("/workspaces/" + agent.id()).path("name").asString().equals("Critic"));
    JsonNode stored = read("/workspaces/" + agent.id());
    assertThat(stored.path("role").isNull()).isTrue();
    assertThat(stored.path("tier").asInt()).isEqualTo(1);
    assertThat(card(page, agent)).containsText("Critic");
  }

  @Test
  void showsTheEvents(Tab tab) {
    Agent agent = client().createOnline("Told");
    Page page = openMap(tab);
    Locator panel = panel(page, agent, "events");
    assertThat(panel).containsText("WORKSPACE_AWAITING_AGENT");
    panel.getByText("WORKSPACE_ONLINE").click();
    assertThat(panel.locator("pre")).containsText("\"recovered_from\": \"awaiting_agent\"");
  }

  @Test
  void goesOnAfterItsConnectionWasLost(Tab tab) {
    Agent agent = client().createOnline("Solo");
    Page page = openMap(tab);
    page.context().setOffline(true);
    page.context().setOffline(false);
    client().heartbeat(agent, "\"active_tasks\":1", "\"current_task\":\"after the gap\"");
    assertThat(card(page, agent)).containsText("after the gap");
  }
}
