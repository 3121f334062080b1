package dev.muster.canvas;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.canvas.ExistingCanvas.assertShows;
import static dev.muster.canvas.ExistingCanvas.at;
import static dev.muster.canvas.ExistingCanvas.card;
import static dev.muster.canvas.ExistingCanvas.choose;
import static dev.muster.canvas.ExistingCanvas.client;
import static dev.muster.canvas.ExistingCanvas.inTree;
import static dev.muster.canvas.ExistingCanvas.open;
import static dev.muster.canvas.ExistingCanvas.openMap;
import static dev.muster.canvas.ExistingCanvas.read;
import static dev.muster.canvas.ExistingCanvas.showMap;
import static dev.muster.canvas.ExistingCanvas.under;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Mouse;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import dev.muster.console.Tab;
import dev.muster.testing.TestClient.Agent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The tree and the map of an existing canvas: what it shows, and what one does there. */
@ExistingCanvas.Tests
class CanvasMapTest {

  private static BoundingBox box(Locator locator) {
    return Objects.requireNonNull(locator.boundingBox());
  }

  private static void drag(Page page, Locator card, double dx, double dy) {
    card.hover(new Locator.HoverOptions().setPosition(60, 20)); // waits until nothing moves
    BoundingBox from = box(card);
    page.mouse().down();
    page.mouse().move(from.x + 60 + dx, from.y + 20 + dy, new Mouse.MoveOptions().setSteps(20));
    page.mouse().up();
  }

  @Test
  void showsThePageLiveAndPutsItsTokenInNoAddress(Tab tab) {
    Agent solo = client().createOnline("Solo");
    List<String> addresses = new ArrayList<>();
    tab.page().onWebSocket(socket -> addresses.add(socket.url()));
    tab.page().onRequest(request -> addresses.add(request.url()));
    Page page = openMap(tab);
    assertShows(card(page, solo), "ONLINE");
    assertThat(addresses).contains(ExistingCanvas.PLATFORM.replaceFirst("^http", "ws") + "/ws");
    assertThat(addresses).noneMatch(address -> address.contains(ADMIN_TOKEN));
  }

  @Test
  void showsTheTreeWithRolesStatusesAndTasks(Tab tab) {
    Agent team = client().createOnline("Team");
    Agent reviewer = client().create("Reviewer", under(team), "\"role\":\"code review\"");
    client().heartbeat(reviewer, "\"active_tasks\":2", "\"current_task\":\"#42\"");
    Agent later = client().create("Later", under(reviewer));
    Page page = open(tab);
    assertThat(inTree(page, team)).hasAttribute("data-depth", "0");
    assertThat(inTree(page, reviewer)).hasAttribute("data-depth", "1");
    assertThat(inTree(page, later)).hasAttribute("data-depth", "2");
    assertThat(inTree(page, reviewer)).containsText("code review");
    assertThat(inTree(page, reviewer)).containsText("online");
    assertThat(inTree(page, reviewer).getByTitle("Tasks in queue")).hasText("2");
  }

  @Test
  void showsABadgeForEachStatus(Tab tab) {
    Agent online = client().createOnline("Well", at(0, 0), "\"tier\":2");
    Agent degraded = client().create("Wedged", at(400, 0));
    client()
        .heartbeat(
            degraded,
            "\"runtime_state\":\"wedged\"",
            "\"sample_error\":\"init timeout — restart\"");
    Agent paused = client().createOnline("Paused", at(0, 300));
    client().post("/workspaces/" + paused.id() + "/pause", ADMIN_TOKEN, "");
    Agent awaiting = client().create("New", at(400, 300));
    Page page = openMap(tab);
    assertShows(card(page, online), "ONLINE");
    assertShows(card(page, online), "T2");
    assertShows(card(page, degraded), "DEGRADED");
    assertShows(card(page, degraded), "init timeout — restart");
    assertShows(card(page, paused), "PAUSED");
    assertThat(card(page, awaiting)).hasAttribute("aria-label", "New workspace — awaiting_agent");
  }

  @Test
  void placesWorkspacesWhereTheyAre(Tab tab) {
    Agent left = client().createOnline("Left", at(100, 100));
    Agent right = client().createOnline("Right", at(700, 400));
    Page page = openMap(tab);
    card(page, left).hover(); // waits until nothing moves
    BoundingBox a = box(card(page, left));
    BoundingBox b = box(card(page, right));
    assertThat((b.x - a.x) / (b.y - a.y)).isCloseTo(2, within(0.1));
  }

  @Test
  void keepsThePositionOfADraggedWorkspace(Tab tab) {
    Agent left = client().createOnline("Left", at(100, 100));
    Agent right = client().createOnline("Right", at(700, 100));
    Page page = openMap(tab);
    card(page, left).hover(); // the map fits its view first, which changes where the cards are
    page.waitForResponse(
        response -> response.request().method().equals("PATCH") && response.ok(),
        () -> drag(page, card(page, left), 60, 200));
    JsonNode moved = read("/workspaces/" + left.id());
    assertThat(moved.path("x").asDouble()).isGreaterThan(120);
    assertThat(moved.path("y").asDouble()).isGreaterThan(220);
    card(page, left).hover();
    BoundingBox before = box(card(page, left));
    double gap = box(card(page, right)).y - before.y;
    page.reload();
    showMap(page);
    card(page, left).hover();
    BoundingBox after = box(card(page, left));
    double zoom = after.width / before.width;
    assertThat((box(card(page, right)).y - after.y) / zoom).isCloseTo(gap, within(3.0));
  }

  @Test
  void nestsAWorkspaceThatIsDroppedOnAnother(Tab tab) {
    Agent team = client().createOnline("Team", at(100, 100));
    Agent loose = client().createOnline("Loose", at(700, 100));
    Page page = openMap(tab);
    card(page, loose)
        .hover(); // the map fits its view first, which changes where and how far apart they are
    BoundingBox to = box(card(page, team));
    BoundingBox from = box(card(page, loose));
    drag(page, card(page, loose), to.x - from.x + 10, to.y - from.y + 10);
    page.getByRole(AriaRole.DIALOG).getByRole(AriaRole.BUTTON).last().click();
    await()
        .until(() ->
            read("/workspaces/" + loose.id())
                .path("parent_id")
                .asString("")
                .equals(team.id().toString()));
    page.getByTestId("nav-home").click();
    assertThat(inTree(page, loose)).hasAttribute("data-depth", "1");
  }

  @Test
  void keepsTheViewport(Tab tab) {
    Agent left = client().createOnline("Left", at(100, 100));
    Page page = openMap(tab);
    card(page, left).hover();
    double before = read("/canvas/viewport").path("zoom").asDouble();
    page.locator(".react-flow__controls-zoomout").click();
    await().until(() -> read("/canvas/viewport").path("zoom").asDouble() != before);
    double width = box(card(page, left)).width;
    page.reload();
    showMap(page);
    card(page, left).hover();
    assertThat(box(card(page, left)).width).isCloseTo(width, within(1.0));
  }

  @Test
  void keepsAFoldedTeam(Tab tab) {
    Agent team = client().createOnline("Team", at(100, 100));
    Agent member = client().createOnline("Member", under(team), at(150, 250));
    Page page = openMap(tab);
    assertThat(card(page, member)).isVisible();
    choose(page, team, "Collapse Team View");
    assertThat(card(page, member)).isHidden();
    await().until(() -> read("/workspaces/" + team.id()).path("collapsed").asBoolean());
    page.reload();
    showMap(page);
    assertThat(card(page, team)).isVisible();
    assertThat(card(page, member)).isHidden();
  }

  @Test
  void showsAtOnceWhatWasMadeElsewhere(Tab tab) {
    Agent team = client().createOnline("Team", at(100, 100));
    Page page = openMap(tab);
    Agent child = client().create("Made elsewhere", under(team), at(150, 250), "\"tier\":1");
    assertShows(card(page, child), "Made elsewhere");
    assertShows(card(page, child), "T1");
    assertShows(card(page, team), "1 AGENTS");
    client().heartbeat(child);
    assertShows(card(page, child), "Warming up"); // until its first words
    client().post("/workspaces/" + child.id() + "/notify", child.token(), "{\"message\":\"Hi\"}");
    assertShows(card(page, child), "ONLINE");
    page.getByTestId("nav-home").click();
    assertThat(inTree(page, child)).hasAttribute("data-depth", "1");
  }

  @Test
  void showsTasksAndTroubleAndRecoveryLive(Tab tab) {
    Agent solo = client().createOnline("Solo", at(100, 100));
    Page page = openMap(tab);
    assertShows(card(page, solo), "ONLINE");
    client().heartbeat(solo, "\"active_tasks\":3", "\"current_task\":\"reviewing #42\"");
    assertShows(card(page, solo), "reviewing #42");
    assertShows(card(page, solo), "3 queued");
    client()
        .heartbeat(
            solo,
            "\"active_tasks\":0",
            "\"runtime_state\":\"wedged\"",
            "\"sample_error\":\"SDK init timeout\"");
    assertShows(card(page, solo), "DEGRADED");
    assertShows(card(page, solo), "SDK init timeout");
    client().heartbeat(solo, "\"runtime_state\":\"\"");
    assertShows(card(page, solo), "ONLINE");
    assertThat(card(page, solo)).not().containsText("SDK init timeout");
  }

  @Test
  void showsANewCardOfItsAgentLive(Tab tab) {
    Agent solo = client().createOnline("Solo", at(100, 100));
    Page page = openMap(tab);
    client()
        .post(
            "/registry/update-card",
            solo.token(),
            "{\"workspace_id\":\"%s\",\"agent_card\":{\"name\":\"Solo\",\"skills\":[{\"id\":\"s\",\"name\":\"search\"}]}}"
                .formatted(solo.id()));
    assertShows(card(page, solo), "search");
  }
}
