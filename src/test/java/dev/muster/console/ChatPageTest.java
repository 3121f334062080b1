package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The chat of a workspace: what it says of each message is true, and nothing is sent twice. */
@InBrowser(sharesCache = true)
class ChatPageTest {

  private static final String ANSWER =
      """
      {"jsonrpc":"2.0","id":"1","result":{"kind":"message","messageId":"a","role":"agent","parts":[{"kind":"text","text":"I am here"}]}}\
      """;

  private static void chat(Page page, Agent agent) {
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=chat");
    assertThat(page.getByLabel("Message to the agent")).isVisible();
  }

  private static void say(Page page, String text) {
    page.getByLabel("Message to the agent").fill(text);
    page.keyboard().press("Enter");
  }

  private static Locator bubble(Page page, String text) {
    return page.locator(".bubble.user").filter(new Locator.FilterOptions().setHasText(text));
  }

  private static Agent pushAgent(String url) {
    return CLIENT.create("Chatting", "\"delivery_mode\":\"push\",\"url\":\"" + url + "\"");
  }

  private static int messages(Agent agent) {
    return CLIENT
        .get("/workspaces/" + agent.id() + "/activity?source=canvas", ADMIN_TOKEN)
        .json()
        .size();
  }

  @Test
  void operatorsChatWithAgents(Tab tab) throws IOException {
    Page page = SignedIn.asAdmin(tab, "/ui/runs");
    chatShowsSendingStoredQueuedAnswered(page);
    aPollAgentsNotificationIsTheAnswerThatItNames(page);
    readsTheRowsOfMessagesAfterTheMessages(page);
    olderMessagesStayWhenNewOnesCome(page);
    isEmptyAtFirst(page);
    showsMessagesBeforeManyRequestsThatAreNone(page);
    Accessibility.check(tab);
    itsFieldIsInsideTheWindow(page);
    tab.expects("status of (401|5..)|ERR_FAILED");
    repeatedSendIsOneMessage(page);
    chatStateAfterReloadIsTheSame(page);
    anErrorOfTheAgentIsItsAnswer(page);
  }

  private static void showsMessagesBeforeManyRequestsThatAreNone(Page page) {
    Agent agent = CLIENT.create("Asked for its tasks", "\"delivery_mode\":\"poll\"");
    chat(page, agent);
    say(page, "How far is it?");
    assertThat(bubble(page, "How far is it?")).containsText("stored");
    StoredRows.appendRequestsWithoutMessage(TestServer.shared().database(), agent.id(), 6000);
    page.reload();

    assertThat(bubble(page, "How far is it?")).containsText("stored");
  }

  private static void chatShowsSendingStoredQueuedAnswered(Page page) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PeerBehavior.answer(200, ANSWER));
      Agent agent = pushAgent(peer.url());
      chat(page, agent);

      page.route(
          "**/a2a",
          route -> {
            assertThat(bubble(page, "Are you there?")).containsText("sending");
            route.resume();
          });
      say(page, "Are you there?");
      assertThat(bubble(page, "Are you there?")).containsText("waiting in the queue (1st of 1)");
      assertThat(page.getByLabel("Message to the agent")).hasValue("");
      page.unroute("**/a2a");
      say(page, "And now?");
      assertThat(bubble(page, "And now?")).containsText("waiting in the queue (2nd of 2)");

      CLIENT.heartbeat(agent);
      assertThat(bubble(page, "Are you there?")).containsText(Pattern.compile("answered in \\d"));
      assertThat(page.locator(".bubble.agent").first()).containsText("I am here");
    }
  }

  private static void aPollAgentsNotificationIsTheAnswerThatItNames(Page page) {
    Agent agent = CLIENT.createOnline("Polling", "\"delivery_mode\":\"poll\"");
    chat(page, agent);

    say(page, "What is next?");
    assertThat(bubble(page, "What is next?"))
        .containsText("stored: the agent gets it when it next reads its feed");
    String messageId =
        CLIENT
            .get("/workspaces/" + agent.id() + "/activity?source=canvas", ADMIN_TOKEN)
            .json()
            .get(0)
            .path("data")
            .path("message_id")
            .asString();
    assertThat(bubble(page, "What is next?").locator(".speaker")).hasText("night shift");
    page.reload(); // it is from the server then: the page has seen it unread
    assertThat(bubble(page, "What is next?")).isVisible();
    CLIENT.post("/workspaces/" + agent.id() + "/activity/ack", agent.token(), "{\"acked_seq\":1}");
    assertThat(bubble(page, "What is next?"))
        .containsText(Pattern.compile("read by the agent \\d\\d:\\d\\d"));
    CLIENT.post(
        "/workspaces/" + agent.id() + "/notify", agent.token(), "{\"message\":\"I look.\"}");
    assertThat(bubble(page, "What is next?")).containsText("read; it wrote afterwards");
    CLIENT.post(
        "/workspaces/" + agent.id() + "/notify",
        agent.token(),
        "{\"message\":\"A review.\",\"reply_to\":\"" + messageId + "\"}");
    assertThat(bubble(page, "What is next?")).containsText(Pattern.compile("answered in \\d"));
    assertThat(page.locator(".bubble.agent").last()).containsText("A review.");
  }

  private static void repeatedSendIsOneMessage(Page page) {
    Agent agent = CLIENT.createOnline("Repeating", "\"delivery_mode\":\"poll\"");
    chat(page, agent);

    // the server gets it, and its answer is lost
    page.route(
        "**/a2a",
        route -> {
          route.fetch();
          route.abort();
        });
    say(page, "Only once, please");
    assertThat(bubble(page, "Only once, please")).containsText("stored");
    assertThat(messages(agent)).isOne();

    // the server never gets it
    page.unroute("**/a2a");
    page.route("**/a2a", route -> route.abort());
    say(page, "Never arrived");
    assertThat(bubble(page, "Never arrived")).containsText("uncertain: the agent may have got it");
    page.unroute("**/a2a");
    page.getByText("Send again under the same id").click();
    assertThat(bubble(page, "Never arrived")).containsText("stored");
    assertThat(bubble(page, "Never arrived")).hasCount(1);
    assertThat(messages(agent)).isEqualTo(2);
  }

  private static void chatStateAfterReloadIsTheSame(Page page) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.answer(200, ANSWER)).usually(PeerBehavior.closeAfterRequest());
      Agent agent = pushAgent(peer.url());
      CLIENT.heartbeat(agent);
      chat(page, agent);
      say(page, "An answered one");
      assertThat(bubble(page, "An answered one")).containsText("answered in");
      page.route("**/a2a", route -> route.abort());
      say(page, "A lost one");
      assertThat(bubble(page, "A lost one")).containsText("uncertain");
      page.unroute("**/a2a");
      CLIENT.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
      say(page, "A refused one");
      assertThat(bubble(page, "A refused one")).containsText("refused: the agent did not get it");
      page.getByLabel("Message to the agent").fill("A draft");
      Object before = page.locator(".bubble.user").allInnerTexts();

      page.reload();
      assertThat(page.locator(".bubble.user")).hasCount(3);
      assertThat(page.getByLabel("Message to the agent")).hasValue("A draft");
      Awaitility.await()
          .pollInSameThread()
          .untilAsserted(() ->
              assertThat(withoutAges(page.locator(".bubble.user").allInnerTexts()))
                  .isEqualTo(withoutAges(before)));
    }
  }

  /**
   * Rows that are older than the history lack the id of its last message, which then shows twice.
   */
  private static void readsTheRowsOfMessagesAfterTheMessages(Page page) {
    Agent agent = CLIENT.createOnline("Ordered", "\"delivery_mode\":\"poll\"");
    List<Route> histories = new ArrayList<>();
    List<String> rows = new ArrayList<>();
    page.route("**/chat-history*", histories::add);
    page.onRequest(request -> {
      if (request.url().contains("type=a2a_receive")) {
        rows.add(request.url());
      }
    });

    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=chat");
    page.waitForCondition(() -> !histories.isEmpty());
    page.evaluate("fetch('/health')"); // what was sent with the history has been reported by now
    assertThat(rows).isEmpty();
    histories.forEach(Route::resume);
    page.waitForCondition(() -> !rows.isEmpty());
    page.unroute("**/chat-history*");
  }

  private static void olderMessagesStayWhenNewOnesCome(Page page) {
    Agent agent = CLIENT.createOnline("Talking", "\"delivery_mode\":\"poll\"");
    IntConsumer notify =
        n ->
            CLIENT.post(
                "/workspaces/" + agent.id() + "/notify",
                agent.token(),
                "{\"message\":\"Note " + n + ".\"}");
    IntStream.range(0, 55).forEach(notify);
    chat(page, agent);
    assertThat(page.locator(".bubble")).hasCount(50);
    page.getByText("Older messages").dblclick();
    assertThat(page.locator(".bubble")).hasCount(55);
    IntStream.range(55, 58).forEach(notify);
    assertThat(page.locator(".bubble")).hasCount(58);
    assertThat(page.locator(".bubble").nth(5)).containsText("Note 5.");
  }

  private static void anErrorOfTheAgentIsItsAnswer(Page page) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PeerBehavior.answer(403, "{\"error\":\"my quota is used up\"}"));
      Agent agent = pushAgent(peer.url());
      CLIENT.heartbeat(agent);
      chat(page, agent);
      say(page, "Work!");
      assertThat(bubble(page, "Work!")).containsText("the agent answered with an error");
      assertThat(bubble(page, "Work!")).containsText("my quota is used up");
    }
  }

  /** Of an agent that is wedged, so that the page has much above the chat. */
  private static void itsFieldIsInsideTheWindow(Page page) {
    Agent agent = CLIENT.createOnline("In sight", "\"delivery_mode\":\"poll\"");
    CLIENT.heartbeat(
        agent, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"Control request timeout\"");
    IntStream.range(0, 20)
        .forEach(n ->
            CLIENT.post(
                "/workspaces/" + agent.id() + "/notify",
                agent.token(),
                "{\"message\":\"Note " + n + ".\"}"));
    String path = "/ui/w/" + agent.id();
    for (int[] size : new int[][] {{1440, 900}, {1280, 720}, {390, 664}}) {
      page.setViewportSize(size[0], size[1]);
      SignedIn.follow(page, path + "?tab=chat");
      assertThat(page.locator(".bubble")).hasCount(20);
      assertFieldInWindow(page);
      SignedIn.follow(page, path);
      assertThat(page.getByText("Active tasks")).isVisible();
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Message").setExact(true))
          .click();
      assertThat(page.getByLabel("Message to the agent")).isFocused();
      assertThat(page.locator(".bubble")).hasCount(20);
      assertFieldInWindow(page);
    }
    page.setViewportSize(1400, 900);
  }

  /** With the button that sends, and nothing in front of it. */
  private static void assertFieldInWindow(Page page) {
    page.waitForFunction(
        """
        () => [...document.querySelectorAll('.write textarea, .write button')].every(one => {
          const { left, top, right, bottom } = one.getBoundingClientRect();
          const isIn = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
          return isIn && [[left + 4, top + 4], [right - 4, bottom - 4]].every(([x, y]) => one.contains(document.elementFromPoint(x, y)));
        })
        """);
  }

  private static void isEmptyAtFirst(Page page) {
    Agent agent = CLIENT.createOnline("Quiet", "\"delivery_mode\":\"poll\"");
    chat(page, agent);
    assertThat(page.getByText("No messages yet.")).isVisible();
  }

  private static String withoutAges(Object texts) {
    return String.valueOf(texts).replaceAll("\\d+ [smh]( \\d+ s)? ago", "…");
  }
}
