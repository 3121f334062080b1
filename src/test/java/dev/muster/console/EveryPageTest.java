package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.net.URI;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Each page, empty, full, refused, of others and failed: axe finds nothing serious in any look, the
 * Tab key reaches every control, and a phone and a window at a zoom of 200 % lose none.
 */
@InBrowser
class EveryPageTest {

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  private static final String WEDGED =
      "\"runtime_state\":\"wedged\",\"sample_error\":\"Control request timeout: initialize\"";

  private static final String AWAY = "The database does not answer.";

  /** A window of 1400 px has 700 of them at 200 %, one of 640 px has 320. */
  private static final int[] WIDTHS = {700, 640, 320};

  /** Controls that no scrolling brings into the window, and how far the page scrolls sideways. */
  private static final String LOST =
      """
      () => [document.documentElement.scrollWidth > innerWidth ? `scrolls sideways to ${document.documentElement.scrollWidth} px` : '',
        ...[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
          .filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.skip, [popover]'))
          .filter(one => {
            one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
            let { left, right, top, bottom } = one.getBoundingClientRect();
            for (let around = one.parentElement; around !== null; around = around.parentElement) {
              if (getComputedStyle(around).overflowX !== 'visible') {
                right = Math.min(right, around.getBoundingClientRect().right);
              }
            }
            return left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1 || right - left < 4;
          })
          .map(one => one.outerHTML.slice(0, 120))].filter(Boolean).join('\\n')
      """;

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @TestFactory
  Stream<DynamicContainer> pages(Tab tab) {
    Stream<Supplier<DynamicContainer>> states =
        Stream.of(
            () -> empty(tab),
            () -> full(tab),
            () -> refused(tab),
            () -> notForAgents(tab),
            () -> notForViewers(tab),
            () -> failed(tab));
    return states.map(Supplier::get); // one after the other: each finds what those before it made
  }

  private static DynamicContainer empty(Tab tab) {
    tab.go(CLIENT.baseUrl(), "/ui/signin");
    return container(
        "empty",
        page(tab, "/ui/signin", "Open the link that the server printed"),
        signsIn(tab, ADMIN_TOKEN),
        page(tab, "/", "Connect the first agent"),
        page(tab, "/ui/delegations", "No delegation is in flight."),
        page(tab, "/ui/delegations?view=graph", "There are no delegations yet."),
        page(tab, "/ui/queue", "No message waits."),
        page(tab, "/ui/runs", "No program has run yet."),
        page(tab, "/ui/tokens", "No token matches."),
        page(tab, "/ui/bulk", "No bulk changes yet."),
        page(tab, "/ui/ops?tab=access", "No link is open."));
  }

  private static DynamicContainer full(Tab tab) {
    Content content = new Content();
    String lead = "/ui/w/" + content.lead.id();
    return container(
        "full",
        page(tab, "/", "Runtime wedged"),
        page(tab, "/?view=tree", "of 3 below"),
        page(tab, "/?view=map", "The same as a table"),
        page(tab, "/?sel=" + content.worker.id(), "Open workspace"),
        page(tab, "/?q=nothing+matches", "Nothing matches."),
        page(tab, "/ui/delegations", "review 42"),
        page(tab, "/ui/delegations?view=graph", "Worker"),
        page(tab, "/ui/queue", "Mailer"),
        page(tab, "/ui/runs", "analyse"),
        page(tab, "/ui/tokens", "Worker"),
        page(tab, "/ui/bulk", "Pause 1 workspace"),
        page(tab, "/ui/bulk/" + content.bulkRun + "?outcome=done", "Idle"),
        page(tab, "/ui/trace/" + content.delegation, "review 42"),
        page(tab, "/ui/welcome", "Name of the agent"),
        page(tab, "/ui/ops?tab=health", "Database"),
        page(tab, "/ui/ops?tab=jobs", "sweep"),
        page(tab, "/ui/ops?tab=settings", "ADMIN_TOKEN"),
        page(tab, "/ui/ops?tab=access", "Wall screen"),
        page(tab, "/ui/ops?tab=audit", "created a workspace"),
        page(tab, lead + "?tab=now", "Active tasks"),
        page(tab, lead + "?tab=timeline", "review 42"),
        page(tab, lead + "?tab=chat", "Which pull requests wait?"),
        page(tab, lead + "?tab=delegations", "review 42"),
        page(tab, lead + "?tab=queue", "No message waits."),
        page(tab, lead + "?tab=runs", "analyse"),
        page(tab, lead + "?tab=tokens", "Last used"),
        page(tab, lead + "?tab=card", "skills"),
        page(tab, "/ui/w/" + content.mailer.id() + "?tab=queue", "waiting"));
  }

  private static DynamicContainer refused(Tab tab) {
    tab.expects("status of 4(00|04|10)");
    Agent removed = CLIENT.create("Removed");
    CLIENT.delete(
        "/workspaces/" + removed.id() + "?confirm=true", ADMIN_TOKEN, "X-Confirm-Name", "Removed");
    return container(
        "refused",
        page(tab, "/ui/no-such-page", "is not a page of this console"),
        page(tab, "/ui/w/" + UUID.randomUUID(), "No such workspace"),
        page(tab, "/ui/w/none", "This is not the id of a workspace"),
        page(tab, "/ui/w/" + removed.id(), "This workspace was removed"),
        page(tab, "/ui/trace/nobody", "No such delegation"),
        page(tab, "/?at=2020-01-01T00:00:00Z", "the history begins at"));
  }

  private static DynamicContainer notForAgents(Tab tab) {
    tab.expects("status of 40[34]");
    String needed = "this needs the admin token, or an operator's or a viewer's";
    Agent owner = CLIENT.createOnline("Owner");
    String other = "/ui/w/" + CLIENT.create("Of others").id();
    String delegation =
        CLIENT
            .get("/admin/delegations", ADMIN_TOKEN)
            .json()
            .path(0)
            .path("delegation_id")
            .asString();
    return container(
        "an agent's session",
        signsIn(tab, owner.token()),
        page(tab, other, "This workspace is not yours to see"),
        page(tab, other + "?at=" + Instant.now().minusSeconds(1), "Try again"),
        page(tab, "/ui/trace/" + delegation, "No such delegation"),
        page(tab, "/?at=2020-01-01T00:00:00Z", "The fleet as it was is not for agents"),
        page(tab, "/ui/delegations", needed),
        page(tab, "/ui/queue", needed),
        page(tab, "/ui/bulk", needed),
        page(tab, "/ui/ops", "Agents do not see how Muster is run."));
  }

  private static DynamicContainer notForViewers(Tab tab) {
    String viewer = "{\"name\":\"Wall\",\"role\":\"viewer\"}";
    String token = CLIENT.post("/admin/tokens", ADMIN_TOKEN, viewer).field("auth_token");
    return container(
        "a viewer's session",
        signsIn(tab, token),
        page(tab, "/ui/tokens", "Only operators see tokens."),
        page(tab, "/ui/ops?tab=access", "Only operators see this: access."),
        page(tab, "/ui/ops?tab=audit", "Only operators see this: audit."),
        page(tab, "/ui/welcome", "You are signed in to read."),
        signsIn(tab, ADMIN_TOKEN));
  }

  private static DynamicContainer failed(Tab tab) {
    tab.expects("status of 503");
    Agent known = CLIENT.createOnline("Known");
    Agent unknown = CLIENT.createOnline("Unknown");
    String one = "/ui/w/" + known.id();
    String record = "/workspaces/" + known.id();
    tab.page()
        .route(
            url -> isCall(URI.create(url).getPath()) && !URI.create(url).getPath().equals(record),
            EveryPageTest::fail);
    return container(
        "failed",
        Stream.of(
                "/",
                "/ui/delegations",
                "/ui/delegations?view=graph",
                "/ui/queue",
                "/ui/runs",
                "/ui/tokens",
                "/ui/bulk",
                "/ui/bulk/" + UUID.randomUUID(),
                "/ui/trace/d-1",
                "/ui/ops?tab=health",
                "/ui/ops?tab=jobs",
                "/ui/ops?tab=settings",
                "/ui/ops?tab=access",
                "/ui/ops?tab=audit",
                "/ui/w/" + unknown.id(),
                one + "?tab=timeline",
                one + "?tab=chat",
                one + "?tab=delegations",
                one + "?tab=queue",
                one + "?tab=runs",
                one + "?tab=tokens")
            .map(path -> page(tab, path, AWAY))
            .toArray(DynamicTest[]::new));
  }

  private static boolean isCall(String path) {
    return !path.matches("/|/(ui|assets)(/.*)?|/console/session|/icon.*|/favicon.*");
  }

  private static void fail(Route route) {
    route.fulfill(
        new Route.FulfillOptions()
            .setStatus(503)
            .setContentType("application/problem+json")
            .setBody("{\"detail\":\"" + AWAY + "\",\"code\":\"UNAVAILABLE\"}"));
  }

  private static DynamicContainer container(String state, DynamicTest... pages) {
    return DynamicContainer.dynamicContainer(state, Stream.of(pages));
  }

  private static DynamicTest signsIn(Tab tab, String token) {
    return DynamicTest.dynamicTest("signs in", () -> tab.signIn(CLIENT.baseUrl(), token, "/"));
  }

  private static DynamicTest page(Tab tab, String path, String text) {
    return DynamicTest.dynamicTest(path, () -> check(tab, path, text));
  }

  private static void check(Tab tab, String path, String text) {
    tab.forgetFaults();
    Page page = tab.go(CLIENT.baseUrl(), path).page();
    assertThat(page.locator("main")).containsText(text);
    assertThat(page.locator("main .loading")).hasCount(0);
    Accessibility.check(tab);
    KeyboardWalk.check(page);
    for (int width : WIDTHS) {
      page.setViewportSize(width, 450);
      assertThat(page.evaluate(LOST)).as("at %s px", width).isEqualTo("");
    }
    page.setViewportSize(1400, 900);
    tab.assertNoFaults();
  }

  /** Something on each page. */
  private static final class Content {
    final Agent lead =
        CLIENT.createOnline(
            "Lead " + "with a long name ".repeat(4) + "w".repeat(60),
            "\"role\":\"review\"",
            "\"agent_card\":{\"name\":\"R\",\"skills\":[]}");
    final Agent worker = CLIENT.createOnline("Worker", child());
    final Agent idle = CLIENT.create("Idle", child());
    final Agent mailer =
        CLIENT.create(
            "Mailer", child(), "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");
    final String delegation;
    final String bulkRun;

    Content() {
      CLIENT.heartbeat(lead, WEDGED);
      CLIENT.heartbeat(worker, WEDGED);
      delegation = delegate(worker, "review 42");
      delegate(mailer, "tell all");
      say(lead, "Which pull requests wait?");
      post(
          "/workspaces/" + lead.id() + "/runtime-events",
          lead.token(),
          "{\"type\":\"RuntimeStart\",\"payload\":{\"task_name\":\"analyse\",\"runtime_name\":\"local\",\"language\":\"python\"}}");
      post("/console/links", ADMIN_TOKEN, "{\"role\":\"viewer\",\"name\":\"Wall screen\"}");
      bulkRun =
          post(
                  "/admin/bulk",
                  ADMIN_TOKEN,
                  "{\"action\":\"pause\",\"ids\":[\"%s\"],\"expect_count\":1}".formatted(idle.id()))
              .field("bulk_id");
    }

    private String child() {
      return "\"parent_id\":\"" + lead.id() + "\"";
    }

    private String delegate(Agent to, String task) {
      return post(
              "/workspaces/" + lead.id() + "/delegate",
              lead.token(),
              "{\"target_id\":\"%s\",\"task\":\"%s\"}".formatted(to.id(), task))
          .field("delegation_id");
    }

    private static void say(Agent agent, String text) {
      post(
          "/workspaces/" + agent.id() + "/a2a",
          ADMIN_TOKEN,
          """
          {"method":"message/send","params":{"message":{"role":"user","messageId":"m-1","parts":[{"kind":"text","text":"%s"}]}}}\
          """
              .formatted(text));
    }

    private static TestClient.Answer post(String path, String token, String body) {
      TestClient.Answer answer = CLIENT.post(path, token, body);
      assertThat(answer.status()).as(answer.text()).isBetween(200, 299);
      return answer;
    }
  }
}
