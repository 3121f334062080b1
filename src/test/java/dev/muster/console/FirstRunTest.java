package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The first agent of an empty server: connected by the command of the page, as it is copied. */
@InBrowser
class FirstRunTest {

  @ParameterizedTest
  @ValueSource(strings = {"Echo", "It's \"my\" agent; $(exit) `exit` \\"})
  void firstRunConnectsTheFirstAgentByItsCommand(String name, Tab tab) throws Exception {
    try (TestServer server = TestServer.start()) {
      TestClient client = server.client();
      Page page = tab.go(client.baseUrl(), "/").page();
      page.getByLabel("Token").fill(ADMIN_TOKEN);
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign in").setExact(true))
          .click();
      page.getByLabel("Name of the agent").fill(name);
      assertThat(page.locator("details.curl code"))
          .containsText(
              "curl -s $MUSTER/workspaces -H \"$ADMIN\" -d '{\"name\":\"" + name.charAt(0));
      page.getByText("Create its workspace").click();
      String command = page.locator("#command-sh").textContent();

      Process shell = new ProcessBuilder("sh").redirectErrorStream(true).start();
      try (OutputStream terminal = shell.getOutputStream()) {
        terminal.write((command + "\n").getBytes(StandardCharsets.UTF_8));
      }
      try {
        assertThat(page.locator(".welcome-steps"))
            .containsText(
                name + " is online",
                new LocatorAssertions.ContainsTextOptions().setTimeout(30_000));
        Accessibility.check(tab);
        String chat = page.getByText("Say hello to it").getAttribute("href");
        assertThat(chat).matches("/ui/w/[0-9a-f-]{36}\\?tab=chat");
        String id = chat.substring(6, 42);
        assertThat(client.get("/workspaces/" + id, ADMIN_TOKEN).field("name")).isEqualTo(name);
        for (String text :
            new String[] {"hello", "a \"quoted\" \\ text: {\"text\":\"x\"} ünï\n%s"}) {
          send(client, id, text);
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> notifications(client, id).contains("You said: " + text));
        }
        assertThat(answered(client, id)).isEqualTo(sent(client, id)).hasSize(2);
      } finally {
        shell.descendants().forEach(ProcessHandle::destroy);
        shell.destroy();
      }
      tab.leave();
    }
  }

  @Test
  void fleetOpensWhenItsFirstWorkspaceIsMadeElsewhere(Tab tab) {
    try (TestServer server = TestServer.start()) {
      TestClient client = server.client();
      server.awaitHistory();
      Page page = tab.openLive(client.baseUrl(), ADMIN_TOKEN, "/");
      assertThat(page.locator(".welcome")).isVisible();
      page.evaluate("() => { window.isThisVisit = true; }");

      client.createOnline("Echo");

      assertThat(page.locator(".fleet-space")).containsText("Echo");
      assertThat(page.evaluate("() => window.isThisVisit")).isEqualTo(true);
      page.navigate(client.baseUrl() + "/ui/welcome?empty=true"); // as after a reload
      assertThat(page.locator(".fleet-space")).containsText("Echo");
      tab.leave();
    }
  }

  @Test
  void formThatIsInUseStaysWhenTheFirstWorkspaceIsMadeElsewhere(Tab tab) {
    try (TestServer server = TestServer.start()) {
      TestClient client = server.client();
      server.awaitHistory();
      Page page = tab.openLive(client.baseUrl(), ADMIN_TOKEN, "/");
      page.getByLabel("Name of the agent").fill("Mine");

      client.createOnline("Echo");

      page.keyboard().press("Control+k");
      page.getByRole(AriaRole.COMBOBOX).fill("echo");
      assertThat(page.getByRole(AriaRole.OPTION, new Page.GetByRoleOptions().setName("Echo")))
          .isVisible();
      page.keyboard().press("Escape");
      assertThat(page.getByLabel("Name of the agent")).hasValue("Mine");
      tab.leave();
    }
  }

  private static void send(TestClient client, String id, String text) {
    String body =
        JsonMapper.shared()
            .writeValueAsString(
                Map.of(
                    "method",
                    "message/send",
                    "params",
                    Map.of("message", Map.of("content", text))));
    assertThat(client.post("/workspaces/" + id + "/a2a", ADMIN_TOKEN, body).status())
        .isEqualTo(200);
  }

  /** The ids of the messages that people have sent. */
  private static Set<String> sent(TestClient client, String id) {
    return rows(client, id)
        .filter(row -> row.path("source").asString().equals("canvas_user"))
        .map(row -> row.path("data").path("message_id").asString())
        .collect(Collectors.toSet());
  }

  /** The ids of the messages that the agent's notifications name. */
  private static Set<String> answered(TestClient client, String id) {
    return rows(client, id)
        .filter(row -> row.path("method").asString().equals("notify"))
        .map(row -> row.path("response_body").path("reply_to").asString(""))
        .collect(Collectors.toSet());
  }

  private static Stream<JsonNode> rows(TestClient client, String id) {
    return client
        .get("/workspaces/" + id + "/activity?source=canvas", ADMIN_TOKEN)
        .json()
        .valueStream();
  }

  private static java.util.List<String> notifications(TestClient client, String id) {
    return rows(client, id).map(row -> row.path("data").path("text").asString("")).toList();
  }
}
