package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.muster.testing.Rounds;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.net.URI;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Each page, empty, full, refused, of others and failed: axe finds nothing serious, by turns in
 * light and in dark, and a phone loses no control. On one full page of each kind axe runs in both,
 * the Tab key reaches every control, and a window at a zoom of 200 % loses none. At night all this
 * is checked on each page, and in all looks. The first page of each state is loaded, and leads to
 * the others.
 */
@InBrowser
class EveryPageTest {

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  private static final String WEDGED =
      "\"runtime_state\":\"wedged\",\"sample_error\":\"Control request timeout: initialize\"";

  private static final String AWAY = "The database does not answer.";

  /** A window of 1400 px has 700 of them at 200 %, one of 640 px has 320. */
  private static final int[] ALL_WIDTHS = {700, 640, 320};

  private static final int[] PHONE = {320};

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

  /** The full pages that were checked in all ways, by the first part of their path. */
  private static final Set<String> CHECKED_IN_ALL_WAYS = new HashSet<>();

  /** The look of the next page that is checked in one. */
  private static Tab.Look next = Tab.Look.LIGHT;

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
    return container(
        "empty",
        loaded(tab, "/ui/signin", "Open the link that the server printed"),
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
    tab.go(CLIENT.baseUrl(), "/");
    return container(
        "full",
        fullPage(tab, "/", "Runtime wedged"),
        fullPage(tab, "/?view=tree", "of 3 below"),
        fullPage(tab, "/?view=map", "The same as a table"),
        fullPage(tab, "/?sel=" + content.worker.id(), "Open workspace"),
        fullPage(tab, "/?q=nothing+matches", "Nothing matches."),
        fullPage(tab, "/ui/delegations", "review 42"),
        fullPage(tab, "/ui/delegations?view=graph", "Worker"),
        fullPage(tab, "/ui/queue", "Mailer"),
        fullPage(tab, "/ui/runs", "analyse"),
        fullPage(tab, "/ui/tokens", "Worker"),
        fullPage(tab, "/ui/bulk", "Pause 1 workspace"),
        fullPage(tab, "/ui/bulk/" + content.bulkRun + "?outcome=done", "Idle"),
        fullPage(tab, "/ui/trace/" + content.delegation, "review 42"),
        fullPage(tab, "/ui/welcome", "Name of the agent"),
        fullPage(tab, "/ui/ops?tab=health", "Database"),
        fullPage(tab, "/ui/ops?tab=jobs", "sweep"),
        fullPage(tab, "/ui/ops?tab=settings", "ADMIN_TOKEN"),
        fullPage(tab, "/ui/ops?tab=access", "Wall screen"),
        fullPage(tab, "/ui/ops?tab=audit", "created a workspace"),
        fullPage(tab, lead + "?tab=now", "Active tasks"),
        fullPage(tab, lead + "?tab=timeline", "review 42"),
        fullPage(tab, lead + "?tab=chat", "Which pull requests wait?"),
        fullPage(tab, lead + "?tab=delegations", "review 42"),
        fullPage(tab, lead + "?tab=queue", "No message waits."),
        fullPage(tab, lead + "?tab=runs", "analyse"),
        fullPage(tab, lead + "?tab=tokens", "Last used"),
        fullPage(tab, lead + "?tab=card", "skills"),
        fullPage(tab, "/ui/w/" + content.mailer.id() + "?tab=queue", "waiting"));
  }

  private static DynamicContainer refused(Tab tab) {
    tab.expects("status of 4(00|04|10)");
    Agent removed = CLIENT.create("Removed");
    CLIENT.delete(
        "/workspaces/" + removed.id() + "?confirm=true", ADMIN_TOKEN, "X-Confirm-Name", "Removed");
    return container(
        "refused",
        loaded(tab, "/ui/no-such-page", "is not a page of this console"),
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
    Stream<DynamicTest> others =
        Stream.of(
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
            .map(path -> page(tab, path, AWAY));
    // a request that is answered while the tab is closed would fail the test
    DynamicTest leaves = DynamicTest.dynamicTest("leaves", tab::leave);
    return container(
        "failed",
        Stream.of(Stream.of(loaded(tab, "/", AWAY)), others, Stream.of(leaves))
            .flatMap(tests -> tests)
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

  /** The first page of a state: it is loaded, and leads to the others. */
  private static DynamicTest loaded(Tab tab, String path, String text) {
    return DynamicTest.dynamicTest(
        path,
        () -> {
          tab.forgetFaults();
          tab.go(CLIENT.baseUrl(), path);
          check(tab, text, false);
        });
  }

  private static DynamicTest page(Tab tab, String path, String text) {
    return DynamicTest.dynamicTest(path, () -> check(follow(tab, path), text, false));
  }

  /** A page that has what it is for; it is checked in all ways if it is the first of its kind. */
  private static DynamicTest fullPage(Tab tab, String path, String text) {
    return DynamicTest.dynamicTest(path, () -> check(follow(tab, path), text, true));
  }

  private static Tab follow(Tab tab, String path) {
    tab.forgetFaults();
    SignedIn.follow(tab.page(), path);
    return tab;
  }

  private static void check(Tab tab, String text, boolean isFull) {
    Page page = tab.page();
    assertThat(page.locator("main")).containsText(text);
    assertThat(page.locator("main .loading")).hasCount(0);
    boolean inAllWays = Rounds.areFull() || (isFull && CHECKED_IN_ALL_WAYS.add(nameOf(page)));
    if (inAllWays) {
      Accessibility.check(tab);
      KeyboardWalk.check(page);
    } else {
      Accessibility.checkIn(tab, next);
      next = next == Tab.Look.LIGHT ? Tab.Look.DARK : Tab.Look.LIGHT;
    }
    for (int width : inAllWays ? ALL_WIDTHS : PHONE) {
      page.setViewportSize(width, 450);
      assertThat(page.evaluate(LOST)).as("at %s px", width).isEqualTo("");
    }
    page.setViewportSize(1400, 900);
    tab.assertNoFaults();
  }

  /** Such as {@code ops} for {@code /ui/ops?tab=health}, and nothing for the fleet. */
  private static String nameOf(Page page) {
    return URI.create(page.url()).getPath().replaceFirst("^/(ui/)?", "").replaceFirst("/.*", "");
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
