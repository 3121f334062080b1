package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.console.bulk.BulkFleet;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The head of a workspace: how it is, why, and what can be done. */
@InBrowser(sharesCache = true)
class WorkspacePageTest {

  private static final String WEDGED =
      "\"runtime_state\":\"wedged\",\"sample_error\":\"Control request timeout: initialize\"";

  private static final String NOTES_A_COPIED_ID =
      """
      () => {
        window.hasCopiedId = false;
        new MutationObserver(() => {
          window.hasCopiedId ||= document.querySelector('[aria-label="Copied id"]') !== null;
        }).observe(document.body, { subtree: true, childList: true, attributes: true });
      }
      """;

  private static Locator button(Page page, String name) {
    return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name));
  }

  @Test
  void operatorsLookAfterOneWorkspace(Tab tab) throws IOException, InterruptedException {
    Page page = SignedIn.asAdmin(tab, "/ui/runs");
    restartReachesTheAgentAndTheDotTurnsGreen(page);
    pausesAfterAQuestionAndResumes(page);
    removalElsewhereClosesATabThatIsRefusedFromThenOn(page);
    removesOnlyAfterItsNameWasTyped(page);
    aLargeRemovalLeadsToItsRun(page);
    showsHeartbeatsAndTasksAsTheyCome(page);
    aLinkLeadsToTheOtherWorkspace(page);
    copiedCurlRepeatsTheRequest(page);
    page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
    copiesAnId(page);
    // plain http on another host has no clipboard API
    page.evaluate("() => Object.defineProperty(window, 'isSecureContext', {value: false})");
    copiesAnId(page);
    zonesChangeEveryTime(page);
    actionsStayInReachOnAPhone(page);
  }

  @Test
  void agentsSeeThemselvesAndTheirPeers(Tab tab) {
    Agent parent = CLIENT.create("Its parent");
    String below = "\"parent_id\":\"" + parent.id() + "\"";
    Agent agent = CLIENT.createOnline("Itself", below);
    Agent peer = CLIENT.createOnline("Peer", below);
    List<String> sockets = new ArrayList<>();
    tab.page().onWebSocket(socket -> sockets.add(socket.url()));

    Page page = tab.openLive(CLIENT.baseUrl(), agent.token(), "/ui/w/" + peer.id());
    assertThat(page.locator(".status-line")).containsText("online");
    assertThat(page.locator(".why-box")).containsText("this page reads it every 30 s");
    // the server refuses an agent the live events of its peers
    assertThat(sockets).noneMatch(url -> url.contains("workspace_id="));

    SignedIn.follow(page, "/ui/w/" + agent.id());
    assertThat(page.locator("h1")).hasText("Itself");
    assertThat(page.locator(".status-line")).containsText("online");
    assertThat(page.locator(".facts-line").first()).containsText("Its parent");
    assertThat(button(page, "Restart")).isVisible();
    assertThat(button(page, "Remove…")).hasCount(0);
    page.getByText("Chat", new Page.GetByTextOptions().setExact(true)).click();
    assertThat(page.getByText("Only operators write to agents.")).isVisible();
  }

  private static void restartReachesTheAgentAndTheDotTurnsGreen(Page page) {
    Agent agent = CLIENT.createOnline("Reviewer");
    SignedIn.follow(page, "/ui/w/" + agent.id());
    assertThat(page.locator(".status-line")).containsText("online");

    CLIENT.heartbeat(agent, WEDGED);
    assertThat(page.locator(".status-line")).containsText("degraded");
    assertThat(page.locator(".why-box")).containsText("wedged");
    assertThat(page.locator(".why-box .evidence"))
        .containsText("“Control request timeout: initialize”");
    page.locator(".why-box").getByRole(AriaRole.BUTTON).first().click();
    assertThat(page.locator(".why-box .cause")).containsText("A restart was asked for");
    assertThat(page.locator(".why-box code"))
        .containsText("--workspace-id " + agent.id() + " --exec \"$MUSTER_EXEC\"");
    assertThat(CLIENT.heartbeat(agent, WEDGED).field("restart_requested_at")).isNotEmpty();

    CLIENT.post(
        "/registry/register",
        agent.token(),
        "{\"id\":\"%s\",\"agent_card\":{\"name\":\"Reviewer\"}}".formatted(agent.id()));
    CLIENT.heartbeat(agent);
    assertThat(page.locator(".status-line")).containsText("online");
    assertThat(page.locator(".why-box .cause")).hasText("Online.");
  }

  private static void pausesAfterAQuestionAndResumes(Page page) {
    Agent agent = CLIENT.createOnline("Pausing");
    SignedIn.follow(page, "/ui/w/" + agent.id());
    button(page, "Pause").first().click();
    page.getByRole(AriaRole.DIALOG)
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Pause"))
        .click();
    assertThat(page.locator(".status-line")).containsText("paused");
    button(page, "Resume").first().click();
    assertThat(page.locator(".status-line")).containsText("awaiting agent");
  }

  private static void removalElsewhereClosesATabThatIsRefusedFromThenOn(Page page) {
    Agent agent = CLIENT.createOnline("Removed elsewhere");
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=timeline");
    assertThat(page.locator("h1")).hasText("Removed elsewhere");
    assertThat(page.locator(".timeline")).isVisible();

    // the fleet asks for its row too, before or after it
    page.waitForResponse(
        response ->
            response.url().contains("/workspaces/" + agent.id())
                && response.text().contains("\"status\":\"removed\""),
        () -> remove(agent, "Removed elsewhere"));

    assertThat(page.getByText("This workspace was removed")).isVisible();
    assertThat(page.locator(".tabs [aria-current=page]")).hasText("Now");
    assertThat(page.locator(".timeline")).hasCount(0);
  }

  private static void remove(Agent agent, String name) {
    String path = "/workspaces/" + agent.id() + "?confirm=true";
    assertThat(CLIENT.delete(path, ADMIN_TOKEN, "X-Confirm-Name", name).status()).isEqualTo(200);
  }

  private static void removeOnItsPage(Page page, Agent agent, String name) {
    SignedIn.follow(page, "/ui/w/" + agent.id());
    button(page, "Remove…").click();
    Locator dialog = page.getByRole(AriaRole.DIALOG);
    Locator remove =
        dialog.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Remove"));
    assertThat(remove).isDisabled();
    dialog.getByLabel("Type its name").fill(name);
    remove.click();
  }

  private static void aLargeRemovalLeadsToItsRun(Page page) {
    Agent agent = CLIENT.create("Much waits for it");
    BulkFleet.insertMessages(TestServer.shared().database(), agent.id(), 1_001);

    removeOnItsPage(page, agent, "Much waits for it");

    assertThat(page.locator("h1")).containsText("Remove 1 workspace");
    assertThat(page.locator(".bulk-progress")).containsText("1 removed");
  }

  private static void removesOnlyAfterItsNameWasTyped(Page page) {
    Agent agent = CLIENT.createOnline("Löschen & 'weg'");
    removeOnItsPage(page, agent, "Löschen & 'weg'");
    assertThat(page.getByText("This workspace was removed")).isVisible();
    assertThat(button(page, "Restart")).hasCount(0);
    page.reload();
    assertThat(page.getByText("This workspace was removed")).isVisible();
  }

  private static void showsHeartbeatsAndTasksAsTheyCome(Page page) {
    Agent agent = CLIENT.createOnline("Alive");
    SignedIn.follow(page, "/ui/w/" + agent.id());
    assertThat(page.getByText("None since this page was opened.")).isVisible();
    // until the page has connected, it sees none
    Awaitility.await()
        .pollInSameThread()
        .atMost(Duration.ofSeconds(20))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          CLIENT.heartbeat(agent, "\"active_tasks\":1", "\"current_task\":\"reading chapter 3\"");
          return page.locator(".heartbeats li").count() > 0;
        });
    assertThat(page.locator(".tab-page")).containsText("reading chapter 3");
  }

  private static void aLinkLeadsToTheOtherWorkspace(Page page) {
    Agent parent = CLIENT.createOnline("Above");
    Agent agent = CLIENT.createOnline("Below", "\"parent_id\":\"" + parent.id() + "\"");
    SignedIn.follow(page, "/ui/w/" + agent.id());
    page.locator(".facts-line").first().getByText("Above").click();
    assertThat(page.locator("h1")).hasText("Above");
    page.goBack();
    assertThat(page.locator("h1")).hasText("Below");
  }

  private static void copiedCurlRepeatsTheRequest(Page page)
      throws IOException, InterruptedException {
    Agent agent = CLIENT.createOnline("It's $HOME");
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=chat");
    page.getByLabel("Message to the agent").fill("'; rm -rf ~ # \u202E$(id)");
    page.locator(".chat .page-foot summary").click();
    String command = page.locator(".chat .page-foot code").nth(1).innerText();
    assertThat(command)
        .startsWith("curl -s $MUSTER/workspaces/" + agent.id() + "/a2a -H \"$ADMIN\"");
    assertThat(run(command)).contains("\"status\":\"queued\"");
    assertThat(
            CLIENT
                .get("/workspaces/" + agent.id() + "/activity?source=canvas", ADMIN_TOKEN)
                .json()
                .get(0)
                .path("data")
                .path("text")
                .asString())
        .isEqualTo("'; rm -rf ~ # \u202E$(id)");
    assertThat(run(page.locator(".workspace-head code").first().textContent()))
        .contains("\"status\":\"paused\"");
  }

  private static void copiesAnId(Page page) {
    Agent agent = CLIENT.create("Copied");
    SignedIn.follow(page, "/ui/w/" + agent.id());
    assertThat(page.locator("h1")).hasText("Copied");
    page.evaluate(NOTES_A_COPIED_ID); // the button says so for 1.6 s only
    button(page, "Copy id").click();
    page.waitForFunction("() => window.hasCopiedId");
    assertThat(page.evaluate("() => navigator.clipboard.readText()"))
        .isEqualTo(agent.id().toString());
  }

  private static void zonesChangeEveryTime(Page page) {
    Agent agent = CLIENT.createOnline("Zoned");
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tz=utc");
    Locator since = page.locator(".status-line mu-moment");
    assertThat(since).hasAttribute("title", Pattern.compile(".* UTC"));
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tz=Europe/Zurich");
    assertThat(since).hasAttribute("title", Pattern.compile(".* (CES?T|GMT\\+[12]).*"));
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tz=local");
    assertThat(since).hasAttribute("title", Pattern.compile(".* GMT\\+5:45"));
  }

  private static void actionsStayInReachOnAPhone(Page page) {
    Agent agent = CLIENT.createOnline("Narrow " + "name".repeat(20));
    CLIENT.heartbeat(agent, WEDGED);
    SignedIn.follow(page, "/ui/w/" + agent.id());
    page.setViewportSize(320, 800);
    for (String part : new String[] {"now", "timeline", "chat", "queue", "tokens"}) {
      SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=" + part);
      assertThat(page.locator(".tab-page .page-foot")).isVisible();
      // again after each load: at the end of the page the actions cover nothing
      page.waitForFunction(
          "() => { scrollTo(0, document.documentElement.scrollHeight); const box = selector =>"
              + " document.querySelector(selector).getBoundingClientRect(); return"
              + " box('.page-foot').bottom <= box('.workspace-head .buttons').top; }");
      assertThat(page.locator(".workspace-head .buttons button").first()).isInViewport();
      assertThat(
              (List<?>)
                  page.evaluate(
                      "() => [...document.querySelectorAll('button, .button, select, .tabs a')]"
                          + ".filter(e => e.checkVisibility() && !e.matches('.disclose, .copy'))"
                          + ".filter(e => e.getBoundingClientRect().height < 44)"
                          + ".map(e => e.className + ': ' + e.textContent)"))
          .as("touch targets of " + part)
          .isEmpty();
    }
  }

  private static String run(String command) throws IOException, InterruptedException {
    ProcessBuilder shell = new ProcessBuilder("sh", "-c", command);
    shell.environment().put("MUSTER", CLIENT.baseUrl());
    shell.environment().put("ADMIN", "Authorization: Bearer " + ADMIN_TOKEN);
    Process process = shell.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return answer;
  }
}
