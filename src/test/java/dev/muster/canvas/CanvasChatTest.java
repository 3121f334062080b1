package dev.muster.canvas;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.canvas.ExistingCanvas.client;
import static dev.muster.canvas.ExistingCanvas.inTree;
import static dev.muster.canvas.ExistingCanvas.open;
import static dev.muster.canvas.ExistingCanvas.read;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.console.Tab;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The chat of an existing canvas with agents, both ways. */
@ExistingCanvas.Tests
class CanvasChatTest {

  private static final JsonMapper JSON = JsonMapper.shared();

  private static Page chatWith(Tab tab, Agent agent) {
    Page page = open(tab);
    inTree(page, agent).click();
    return page;
  }

  private static Locator chat(Page page) {
    return page.locator("#chat-panel-my-chat");
  }

  /** The bubbles of the conversation, not what only tells of progress. */
  private static Locator bubbles(Page page) {
    return chat(page).locator(".prose");
  }

  private static void say(Page page, String text) {
    page.getByLabel("Message to agent").fill(text);
    page.getByLabel("Message to agent").press("Enter");
  }

  private static List<JsonNode> inbox(Agent agent) {
    return client()
        .get("/workspaces/" + agent.id() + "/activity?type=a2a_receive", agent.token())
        .json()
        .valueStream()
        .toList();
  }

  private static void tell(Agent agent, String text) {
    ObjectNode body = JSON.createObjectNode().put("message", text);
    assertThat(
            client()
                .post("/workspaces/" + agent.id() + "/notify", agent.token(), body.toString())
                .status())
        .isEqualTo(200);
  }

  private static void send(String token, Agent to, String messageId, String text) {
    String body =
        """
        {"method":"message/send","params":{"message":{"messageId":"%s","role":"user","parts":[{"kind":"text","text":"%s"}]}}}\
        """
            .formatted(messageId, text);
    assertThat(client().post("/workspaces/" + to.id() + "/a2a", token, body).status())
        .isEqualTo(200);
  }

  @Test
  void talksWithAnAgentThatPolls(Tab tab) {
    Agent agent = client().createOnline("Polling");
    Page page = chatWith(tab, agent);
    say(page, "Are you there?");
    assertThat(bubbles(page)).hasText(new String[] {"Are you there?"});
    assertThat(chat(page)).containsText("queued"); // with the agent, which has not answered
    await().until(() -> inbox(agent).size() == 1);
    JsonNode message = inbox(agent).getFirst();
    assertThat(message.path("source").asString()).isEqualTo("canvas_user");
    assertThat(message.path("source_id").isNull()).isTrue();
    assertThat(message.path("data").path("text").asString()).isEqualTo("Are you there?");

    tell(agent, "Yes.");
    assertThat(bubbles(page)).hasText(new String[] {"Are you there?", "Yes."});
    assertThat(page.getByLabel("Stop current agent turn")).hasCount(0); // nothing is awaited

    page.reload();
    inTree(page, agent).click();
    assertThat(bubbles(page)).hasText(new String[] {"Are you there?", "Yes."});
  }

  @Test
  void talksWithAnAgentThatIsCalled(Tab tab) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent =
          client()
              .createOnline("Called", "\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"");
      Page page = chatWith(tab, agent);
      say(page, "echo me");
      assertThat(bubbles(page)).hasCount(2);
      assertThat(bubbles(page).first()).hasText("echo me");
      assertThat(page.getByLabel("Stop current agent turn")).hasCount(0);
      assertThat(peer.awaitDeliveries(1)).hasSize(1);
      String answer = bubbles(page).last().textContent();
      page.reload();
      inTree(page, agent).click();
      assertThat(bubbles(page)).hasText(new String[] {"echo me", answer});
    }
  }

  @Test
  void showsEachMessageOnceAfterItsRegularLook(Tab tab) {
    Agent agent = client().createOnline("Once");
    Page page = chatWith(tab, agent);
    say(page, "first");
    tell(agent, "second");
    assertThat(bubbles(page)).hasText(new String[] {"first", "second"});
    // it reads the history anew every ten seconds, and recognises what it shows
    for (int look = 0; look < 2; look++) {
      page.waitForResponse(
          "**/chat-history**", new Page.WaitForResponseOptions().setTimeout(15_000), () -> {});
    }
    assertThat(bubbles(page)).hasText(new String[] {"first", "second"});
  }

  @Test
  void hearsAnAgentThatSpeaksFirst(Tab tab) {
    Agent agent = client().createOnline("Speaker");
    Page page = chatWith(tab, agent);
    assertThat(chat(page)).containsText("No messages yet");
    tell(agent, "Build **green**.");
    assertThat(bubbles(page)).hasText(new String[] {"Build green."});
  }

  @Test
  void showsAFileOfAnAgent(Tab tab) {
    Agent agent = client().createOnline("Writer");
    Page page = chatWith(tab, agent);
    assertThat(chat(page)).containsText("No messages yet");
    client()
        .post(
            "/workspaces/" + agent.id() + "/notify",
            agent.token(),
            """
            {"message":"The report","attachments":[{"uri":"workspace:report.bin","name":"report.bin","mimeType":"application/octet-stream","size":12}]}\
            """);
    assertThat(chat(page)).containsText("report.bin");
    page.reload();
    inTree(page, agent).click();
    assertThat(chat(page)).containsText("report.bin");
  }

  @Test
  void showsWhatIsSaidAtAnotherCanvas(Tab tab) {
    Agent agent = client().createOnline("Shared");
    Page page = chatWith(tab, agent);
    assertThat(chat(page)).containsText("No messages yet");
    send(ADMIN_TOKEN, agent, "elsewhere-1", "from the other desk");
    assertThat(bubbles(page)).hasText(new String[] {"from the other desk"});
  }

  @Test
  void keepsTheTalkOfAgentsOutOfTheHumansChat(Tab tab) {
    Agent team = client().createOnline("Team");
    String parent = "\"parent_id\":\"" + team.id() + "\"";
    Agent planner = client().createOnline("Planner", parent);
    Agent reviewer = client().createOnline("Reviewer", parent);
    Page page = chatWith(tab, reviewer);
    assertThat(chat(page)).containsText("No messages yet");
    send(planner.token(), reviewer, "peer-1", "review PR 42");
    client()
        .post(
            "/workspaces/" + planner.id() + "/delegate",
            planner.token(),
            "{\"target_id\":\"%s\",\"task\":\"count the lines\"}".formatted(reviewer.id()));
    send(ADMIN_TOKEN, reviewer, "human-1", "good morning");
    assertThat(bubbles(page)).hasText(new String[] {"good morning"});

    page.locator("#chat-tab-agent-comms").click();
    assertThat(page.locator("#chat-panel-agent-comms")).containsText("review PR 42");
    assertThat(page.locator("#chat-panel-agent-comms")).not().containsText("good morning");
    page.reload();
    inTree(page, reviewer).click();
    assertThat(bubbles(page)).hasText(new String[] {"good morning"});
    page.locator("#chat-tab-agent-comms").click();
    assertThat(page.locator("#chat-panel-agent-comms")).containsText("review PR 42");
    assertThat(page.locator("#chat-panel-agent-comms")).containsText("Planner");
  }

  @Test
  void readsOlderMessagesWhenScrolledUp(Tab tab) {
    Agent agent = client().createOnline("Long");
    for (int i = 1; i <= 40; i++) {
      send(ADMIN_TOKEN, agent, "old-" + i, "message " + i);
    }
    Page page = chatWith(tab, agent);
    assertThat(bubbles(page).last()).hasText("message 40");
    assertThat(bubbles(page).first()).not().hasText("message 1");
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> {
          bubbles(page).first().scrollIntoViewIfNeeded();
          page.mouse().move(700, 400);
          page.mouse().wheel(0, -4_000);
          return bubbles(page).count() == 40;
        });
    List<String> texts = bubbles(page).allTextContents();
    assertThat(texts).first().isEqualTo("message 1");
    assertThat(texts).doesNotHaveDuplicates();
  }

  @Test
  void saysThatAnAgentFailed(Tab tab) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PeerBehavior.answer(500, "{\"error\":\"quota is used up\"}"));
      Agent agent =
          client()
              .createOnline("Failing", "\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"");
      tab.expects("status of 500.*/a2a");
      Page page = chatWith(tab, agent);
      say(page, "try");
      assertThat(chat(page)).containsText("quota is used up");
      assertThat(page.getByLabel("Stop current agent turn")).hasCount(0);
    }
  }

  @Test
  void cannotWriteToAnAgentThatIsPaused(Tab tab) {
    Agent agent = client().createOnline("Paused");
    client().post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
    Page page = chatWith(tab, agent);
    assertThat(page.getByLabel("Message to agent")).isDisabled();
    client().post("/workspaces/" + agent.id() + "/resume", ADMIN_TOKEN, "");
    client().heartbeat(agent);
    assertThat(page.getByLabel("Message to agent")).isEnabled();
    assertThat(page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Send")).first())
        .isVisible();
    assertThat(read("/workspaces/" + agent.id()).path("status").asString()).isEqualTo("online");
  }
}
