package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.agent.WedgingAgent;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * The case that Muster was made for (seed 000), with an agent of the library in a process of its
 * own, under a supervisor that starts it again when it ends for a restart.
 */
@InBrowser(sharesCache = true)
class WedgedAgentTest {

  private static final String SUPERVISED =
      "while :; do \"$@\"; [ $? -eq " + WedgingAgent.RESTART + " ] || exit; done";
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final double LIMIT_MS = 40_000;
  private static final TestServer SERVER = TestServer.start("HEARTBEAT_INTERVAL_S=1");
  private static final TestClient CLIENT = SERVER.client();

  private static final Agent AGENT = CLIENT.create("Reviewer 4711", "\"role\":\"code review\"");
  private static final Process SUPERVISOR = startTheAgent();

  private static Process startTheAgent() {
    ProcessBuilder command =
        new ProcessBuilder(
            "sh",
            "-c",
            SUPERVISED,
            "supervisor",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-classpath",
            System.getProperty("java.class.path"),
            WedgingAgent.class.getName());
    command.environment().put("MUSTER_URL", CLIENT.baseUrl());
    command.environment().put("MUSTER_WORKSPACE_ID", AGENT.id().toString());
    command.environment().put("MUSTER_TOKEN", AGENT.token());
    try {
      return command
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterAll
  static void stop() {
    List<ProcessHandle> agents = SUPERVISOR.descendants().toList();
    SUPERVISOR.destroyForcibly().onExit().join();
    agents.forEach(ProcessHandle::destroyForcibly);
    SERVER.close();
  }

  private static void say(String text) {
    assertThat(
            CLIENT
                .post(
                    "/workspaces/" + AGENT.id() + "/a2a",
                    ADMIN_TOKEN,
                    "{\"method\":\"message/send\",\"params\":{\"message\":{\"content\":\"%s\"}}}"
                        .formatted(text))
                .status())
        .isEqualTo(200);
  }

  private static Stream<String> answers() {
    return CLIENT
        .get("/workspaces/" + AGENT.id() + "/activity?source=canvas&order=asc", ADMIN_TOKEN)
        .json()
        .valueStream()
        .filter(row -> row.path("source").asString().equals("self"))
        .map(row -> row.at("/data/text").asString());
  }

  /** Asks the agent, and returns the process that answered. */
  private static String processThatAnswers(String question) {
    say(question);
    return await()
        .atMost(LIMIT)
        .until(
            () -> answers().filter(text -> text.endsWith(": " + question)).findFirst().orElse(""),
            text -> !text.isEmpty())
        .replaceFirst(":.*", "");
  }

  private static void assertShows(Locator locator, String text) {
    assertThat(locator)
        .containsText(text, new LocatorAssertions.ContainsTextOptions().setTimeout(LIMIT_MS));
  }

  private static Locator restart(Locator in) {
    return in.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Restart")).first();
  }

  @Test
  void wedgedAgentShowsReasonEvidenceAndRestart(Tab tab) {
    for (int i = 0; i < 5; i++) {
      CLIENT.createOnline("Well " + i);
    }
    Page page = tab.signIn(CLIENT.baseUrl(), ADMIN_TOKEN, "/").page();
    Locator first = page.locator(".fleet-row[aria-rowindex='2']");
    Locator causes = page.locator(".causes");
    assertThat(page.getByRole(AriaRole.GRID)).hasAttribute("aria-rowcount", "7");
    processThatAnswers("well?");
    assertThat(causes).hasCount(0);

    say(WedgingAgent.BREAK);
    assertShows(first, "Reviewer 4711");
    assertShows(first, "degraded");
    assertShows(first, "Runtime wedged — “" + WedgingAgent.REASON + "”");
    assertShows(causes, "Runtime wedged — “" + WedgingAgent.REASON + "”");

    first.locator(".col-why").click();
    Locator sheet = page.getByRole(AriaRole.COMPLEMENTARY);
    assertShows(sheet, "each request fails until its process restarts");
    assertShows(sheet, WedgingAgent.REASON);
    restart(sheet).click();
    assertThat(causes).hasCount(0, new LocatorAssertions.HasCountOptions().setTimeout(LIMIT_MS));
    assertThat(CLIENT.read(AGENT).path("status").asString()).isEqualTo("online");
  }

  private static int restartsAskedFor() {
    return CLIENT.events(AGENT.id(), "WORKSPACE_RESTART_REQUESTED").size();
  }

  @Test
  void restartEndsTheAgentAndTheDotTurnsGreen(Tab tab) {
    Page page = tab.signIn(CLIENT.baseUrl(), ADMIN_TOKEN, "/ui/w/" + AGENT.id()).page();
    Locator status = page.locator(".status-line");
    assertShows(status, "online");
    page.evaluate("() => { window.isSamePage = true; }");
    String before = processThatAnswers("before?");
    int askedBefore = restartsAskedFor();
    say(WedgingAgent.BREAK);
    assertShows(status, "degraded");
    assertShows(page.locator(".why-box .evidence"), "“" + WedgingAgent.REASON + "”");

    restart(page.locator(".why-box")).click();
    assertShows(status, "online");
    assertThat(page.locator(".why-box .cause")).hasText("Online.");
    assertThat(page.evaluate("() => window.isSamePage === true")).isEqualTo(true);
    assertThat(processThatAnswers("after?")).isNotEqualTo(before);
    JsonNode record = CLIENT.read(AGENT);
    assertThat(record.has("restart_requested_at")).isFalse();
    assertThat(SUPERVISOR.isAlive()).isTrue();
    assertThat(restartsAskedFor()).isEqualTo(askedBefore + 1);
  }
}
