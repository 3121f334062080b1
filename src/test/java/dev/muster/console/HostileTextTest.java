package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Whatever agents write, wherever a page shows it: nothing of it runs, no request leaves, no layout
 * breaks, and every character is seen. Here all texts pass once through a server; {@code
 * hostile.test.js} shows each of them in each widget.
 */
@InBrowser(sharesCache = true)
class HostileTextTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final List<String> TEXTS = read();

  private static final Pattern UNSEEN = Pattern.compile("[\\u202a-\\u202e\\u2066-\\u2069\\u200b]");

  private static final Pattern TITLE = Pattern.compile("⟨U\\+[0-9A-F]{4}⟩.* · Muster");

  /**
   * Elements of the text, side effects of its scripts, and a page that is wider than its window.
   */
  private static final String HARM =
      """
      () => {
      const isScrolled = e => e !== null && (getComputedStyle(e).overflowX !== 'visible' || isScrolled(e.parentElement));
      return [
        window.pwned === undefined ? '' : 'a script ran',
        document.querySelector(':is(main, dialog) :is(img, script, iframe, object, embed, form[action], base, style)')
          ? 'an element was made' : '',
        document.documentElement.scrollWidth > document.documentElement.clientWidth
          ? 'it scrolls sideways: ' + [...document.querySelectorAll('body *')]
              .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth && !isScrolled(e))
              .slice(0, 3).map(e => e.outerHTML.slice(0, 400)).join(' | ')
          : '',
        [...document.querySelectorAll(':is(main, dialog) a[href]')].some(a => !/^https?:/.test(a.href)) ? 'a link leads elsewhere' : '',
        /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test([...document.querySelectorAll('main, dialog, title')].map(e => e.textContent).join(''))
          ? 'a character is not seen' : '',
      ].filter(Boolean).join(', ');
      }
      """;

  private static List<String> read() {
    try (InputStream in =
        Objects.requireNonNull(
            HostileTextTest.class.getClassLoader().getResourceAsStream("console/hostile.json"))) {
      List<String> texts = new ArrayList<>();
      JSON.readTree(in).forEach(text -> texts.add(text.asString()));
      return texts;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String json(String text) {
    return JSON.writeValueAsString(JsonNodeFactory.instance.stringNode(text));
  }

  private static void send(String path, String token, String body) {
    assertThat(CLIENT.post(path, token, body).status()).as(body).isBetween(200, 299);
  }

  private static void assertHarmless(Page page) {
    assertThat(page.evaluate(HARM)).as(page.url()).isEqualTo("");
    page.setViewportSize(390, 800);
    assertThat(page.evaluate(HARM)).as("narrow " + page.url()).isEqualTo("");
    page.setViewportSize(1400, 900);
  }

  @Test
  void asMessagesAndNotifications(Tab tab) {
    Agent agent = CLIENT.createOnline("Speaking", "\"delivery_mode\":\"poll\"");
    for (String text : TEXTS) {
      if (!text.isBlank()) {
        send(
            "/workspaces/" + agent.id() + "/notify",
            agent.token(),
            "{\"message\":%s,\"attachments\":[{\"uri\":%s,\"name\":%s}]}"
                .formatted(json(text), json(text), json(text)));
      }
    }
    Page page = SignedIn.asAdmin(tab, "/ui/w/" + agent.id() + "?tab=chat");
    assertThat(page.locator(".bubble")).hasCount(50);
    for (int shown = 50; shown < 200; shown += 50) {
      page.getByText("Older messages").click();
      assertThat(page.locator(".bubble")).hasCount(Math.min(shown + 50, 217));
    }
    assertHarmless(page);
    page.navigate(CLIENT.baseUrl() + "/ui/w/" + agent.id() + "?tab=timeline");
    assertThat(page.locator("li.entry")).not().hasCount(0);
    assertHarmless(page);
  }

  @Test
  void asErrorsAndTasks(Tab tab) {
    Agent agent = CLIENT.createOnline("Failing");
    Page page = SignedIn.asAdmin(tab, "/ui/w/" + agent.id());
    assertThat(page.locator(".status-line")).containsText("online");
    for (int i = 0; i < TEXTS.size(); i += 6) {
      CLIENT.heartbeat(
          agent,
          "\"runtime_state\":\"wedged\",\"active_tasks\":1",
          "\"sample_error\":" + json(TEXTS.get(i)),
          "\"current_task\":" + json(TEXTS.get(i)));
    }
    CLIENT.heartbeat(
        agent,
        "\"runtime_state\":\"wedged\"",
        "\"sample_error\":\"the last one\"",
        "\"current_task\":\"done\"");
    assertThat(page.locator(".why-box")).containsText("the last one");
    assertHarmless(page);
  }

  @Test
  void asDelegationsAndInTheQueue(Tab tab) {
    Agent caller = CLIENT.createOnline("Asking");
    Agent callee =
        CLIENT.create(
            "Asked",
            "\"parent_id\":\"" + caller.id() + "\"",
            "\"delivery_mode\":\"push\",\"url\":\"http://127.0.0.1:9/\"");
    for (String text : TEXTS) {
      if (!text.isBlank()) {
        send(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"%s\",\"task\":%s}".formatted(callee.id(), json(text)));
      }
    }
    JsonNode open =
        CLIENT.get("/workspaces/" + caller.id() + "/delegations?limit=500", ADMIN_TOKEN).json();
    // every other one stays in the queue
    for (int i = 0; i < TEXTS.size() && i < open.size(); i += 2) {
      String path = "/admin/delegations/" + open.get(i).path("delegation_id").asString() + "/fail";
      CLIENT.post(path, ADMIN_TOKEN, "{\"reason\":%s}".formatted(json("-" + TEXTS.get(i))));
    }
    Page page = SignedIn.asAdmin(tab, "/ui/w/" + caller.id() + "?tab=delegations");
    assertThat(page.locator("tbody tr")).hasCount(100);
    page.getByText("More", new Page.GetByTextOptions().setExact(true)).click();
    assertThat(page.locator("tbody tr")).hasCount(200);
    assertHarmless(page);
    page.navigate(CLIENT.baseUrl() + "/ui/queue?target=" + callee.id());
    assertThat(page.locator("tbody tr")).not().hasCount(0);
    page.locator("tbody .disclose").nth(3).click();
    assertThat(page.locator("tr.detail .foreign")).not().hasCount(0);
    assertHarmless(page);
  }

  @Test
  void asRunsAndTheirOutput(Tab tab) {
    Agent agent = CLIENT.createOnline("Running");
    for (String text : TEXTS) {
      String name = json("-" + text);
      send(
          "/workspaces/" + agent.id() + "/runtime-events",
          agent.token(),
          """
          [{"type":"RuntimeStart","payload":{"task_name":%s,"runtime_name":%s,"language":%s}},
           {"type":"RuntimeStdout","payload":{"task_name":%s,"chunk":%s}},
           {"type":"RuntimeError","payload":{"task_name":%s,"kind":%s,"message":%s}}]\
          """
              .formatted(name, name, name, name, json(text), name, name, json(text)));
    }
    Page page = SignedIn.asAdmin(tab, "/ui/w/" + agent.id() + "?tab=runs");
    assertThat(page.locator("tbody tr")).not().hasCount(0);
    page.evaluate("() => document.querySelectorAll('tbody .disclose').forEach(one => one.click())");
    assertThat(page.locator("tr.detail")).not().hasCount(0);
    assertHarmless(page);
  }

  @Test
  void asNamesRolesAndCards(Tab tab) {
    Agent parent = CLIENT.create("Names");
    List<String> names = new ArrayList<>();
    List<String> hiddenNames = new ArrayList<>();
    int hidden = 0;
    for (String text : TEXTS) {
      String other =
          "\"role\":%s,\"parent_id\":\"%s\",\"agent_card\":{\"name\":%s,\"description\":%s,\"skills\":[{\"name\":%s}]}"
              .formatted(json(text), parent.id(), json(text), json(text), json(text));
      boolean isHidden = UNSEEN.matcher(text).find();
      var answer =
          CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":%s,%s}".formatted(json(text), other));
      if (answer.status() == 201) {
        names.add(answer.field("id"));
        if (isHidden) {
          hiddenNames.add(answer.field("id"));
        }
      } else {
        assertThat(answer.status()).isIn(400, 413);
        answer =
            CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"Plain\",%s}".formatted(other));
        assertThat(answer.status()).isIn(201, 400, 413); // it may be too long for a role
      }
      hidden += isHidden && answer.status() == 201 ? 1 : 0;
    }
    assertThat(names).hasSizeGreaterThan(150);
    assertThat(hidden).isGreaterThan(3);
    String id = hiddenNames.getFirst(); // it is in the title of its page, now and as it was
    Page page = SignedIn.asAdmin(tab, "/ui/w/" + id + "?tab=card");
    assertThat(page.locator("pre.document")).isVisible();
    assertThat(page).hasTitle(TITLE);
    assertHarmless(page);
    page.navigate(CLIENT.baseUrl() + "/ui/w/" + id + "?at=" + Instant.now().minusMillis(1));
    assertThat(page).hasTitle(TITLE);
    assertHarmless(page);
    String below = "?q=under:" + parent.id();
    page.navigate(CLIENT.baseUrl() + "/" + below + "&view=tree");
    assertThat(page.locator(".fleet-row")).not().hasCount(0);
    assertHarmless(page);
    page.keyboard().press("Control+k");
    page.locator(".palette-field").fill("script");
    assertThat(page.locator(".palette-list [role=option]")).not().hasCount(0);
    assertHarmless(page);
    page.keyboard().press("Escape");
    page.navigate(CLIENT.baseUrl() + "/" + below);
    assertThat(page.locator(".fleet-space .fleet-row:visible")).not().hasCount(0);
    page.getByLabel("Select all that match the filter").check();
    page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Selected workspaces"))
        .getByText("Pause")
        .click();
    assertThat(page.locator(".bulk-sample")).isVisible();
    assertHarmless(page);
    page.locator("dialog .buttons .main").click();
    assertThat(page.locator(".bulk-progress")).containsText("done");
    page.navigate(page.url() + "?outcome=done");
    assertThat(page.locator("tbody tr")).not().hasCount(0);
    assertHarmless(page);
  }

  /** Names in a trace and in the picture of who delegates to whom; the task of each is its name. */
  @Test
  void asNamesOfThoseThatDelegate(Tab tab) {
    Agent root = CLIENT.create("Root of names");
    String parentId = "\"parent_id\":\"" + root.id() + "\"";
    Agent caller = CLIENT.createOnline("First of names", parentId);
    String first = null;
    for (int i = 0; i < TEXTS.size(); i += 6) {
      String more = first == null ? "" : ",\"parent_delegation_id\":\"" + first + "\"";
      var made =
          CLIENT.post(
              "/workspaces",
              ADMIN_TOKEN,
              "{\"name\":%s,%s,\"delivery_mode\":\"poll\"}"
                  .formatted(json(TEXTS.get(i)), parentId));
      if (made.status() == 201) {
        var delegated =
            CLIENT.post(
                "/workspaces/" + caller.id() + "/delegate",
                caller.token(),
                "{\"target_id\":\"%s\",\"task\":%s%s}"
                    .formatted(made.field("id"), json("-" + TEXTS.get(i)), more));
        assertThat(delegated.status()).as(delegated.text()).isBetween(200, 299);
        first = first == null ? delegated.field("delegation_id") : first;
      }
    }
    Page page = SignedIn.asAdmin(tab, "/ui/trace/" + first);
    assertThat(page.locator("li.node.delegation")).not().hasCount(0);
    assertHarmless(page);
    page.navigate(CLIENT.baseUrl() + "/ui/delegations?view=graph");
    assertThat(page.locator("svg.graph .node").first()).isVisible();
    assertThat(page.locator("main .loading")).hasCount(0);
    assertHarmless(page);
  }

  /** What the program behind a push agent answers, as an answer and as an error. */
  @Test
  void asAnswersOfPushAgents(Tab tab) throws IOException {
    tab.expects("status of 4");
    try (TestPeer peer = TestPeer.start()) {
      Agent agent =
          CLIENT.create(
              "Answering", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      CLIENT.heartbeat(agent);
      for (int i = 0; i < TEXTS.size(); i += 6) {
        peer.usually(
            PeerBehavior.answer(
                i % 12 == 0 ? 400 : 200,
                "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"error\":{\"code\":-32000,\"message\":%s}}"
                    .formatted(json(TEXTS.get(i)))));
        CLIENT.post(
            "/workspaces/" + agent.id() + "/a2a",
            ADMIN_TOKEN,
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"messageId\":\"h-%d\",\"parts\":[{\"kind\":\"text\",\"text\":\"Go\"}]}}}"
                .formatted(i));
      }
      Page page = SignedIn.asAdmin(tab, "/ui/w/" + agent.id() + "?tab=chat");
      assertThat(page.getByText("the agent answered with an error").first()).isVisible();
      assertHarmless(page);
      page.navigate(CLIENT.baseUrl() + "/ui/w/" + agent.id() + "?tab=timeline");
      assertThat(page.locator("li.entry")).not().hasCount(0);
      assertHarmless(page);
    }
  }
}
