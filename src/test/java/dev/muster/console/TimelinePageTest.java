package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.muster.testing.TestClient.Agent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The timeline of a workspace, and traces over several: what caused what, and how sure that is. */
@InBrowser(sharesCache = true)
class TimelinePageTest {

  private final Agent team = CLIENT.create("Team");
  private final Agent planner = member("Planner");
  private final Agent reviewer = member("Reviewer");

  private Agent member(String name) {
    return CLIENT.createOnline(
        name, "\"parent_id\":\"" + team.id() + "\"", "\"delivery_mode\":\"poll\"");
  }

  private static String delegate(Agent from, Agent to, String task, String... more) {
    StringBuilder body =
        new StringBuilder("{\"target_id\":\"%s\",\"task\":\"%s\"".formatted(to.id(), task));
    for (String field : more) {
      body.append(',').append(field);
    }
    return CLIENT
        .post("/workspaces/" + from.id() + "/delegate", from.token(), body.append('}').toString())
        .field("delegation_id");
  }

  private static void run(Agent agent, String... tasks) {
    CLIENT.post(
        "/workspaces/" + agent.id() + "/runtime-events",
        agent.token(),
        Stream.of(tasks)
            .map(task ->
                """
                {"type":"RuntimeStart","payload":{"task_name":"%s","runtime_name":"local","language":"python"}},
                {"type":"RuntimeEnd","payload":{"task_name":"%s","exit_code":0,"duration_ms":5}}\
                """
                    .formatted(task, task))
            .collect(Collectors.joining(",", "[", "]")));
  }

  private static Locator entry(Page page, String kind) {
    return page.locator("li.entry.kind-" + kind).first();
  }

  @Test
  void operatorsReadTimelinesAndATrace(Tab tab) {
    Page page = SignedIn.asAdmin(tab, "/ui/runs");
    nothingMovesWhenTheHistoryArrives(page);
    timelineJoinsMessageDelegationRunAndStatusByIds(page);
    Accessibility.check(tab);
    showsTheSpanBetweenTwoTimes(page);
    guessedCausesAreMarked(page);
    scrollsToTheEntryThatTheUrlNames(page);
    traceFollowsThreeWorkspaces(page);
  }

  /**
   * A click on what moves between press and release is lost. The box Why may get a line meanwhile,
   * such as that of a hold of the fleet, which has nothing to do with the history.
   */
  private void nothingMovesWhenTheHistoryArrives(Page page) {
    List<Route> held = new ArrayList<>();
    page.route("**/console/history/*", held::add);
    SignedIn.follow(page, "/ui/w/" + planner.id() + "?tab=timeline");
    assertThat(entry(page, "status")).isVisible();
    assertThat(page.locator(".ribbon-share")).hasText("–");
    double top = topWithoutWhy(page);
    page.unroute("**/console/history/*");
    held.forEach(Route::resume);
    assertThat(page.locator(".ribbon-share")).not().hasText("–");
    assertThat(topWithoutWhy(page)).isEqualTo(top);
  }

  /** Returns where the filters begin, in pixels, less the height of the box Why. */
  private static double topWithoutWhy(Page page) {
    return ((Number)
            page.evaluate(
                """
                () => Math.round(document.querySelector('.filters').getBoundingClientRect().y
                    - document.querySelector('.why-box').getBoundingClientRect().height)
                """))
        .doubleValue();
  }

  private void timelineJoinsMessageDelegationRunAndStatusByIds(Page page) {
    String id = delegate(planner, reviewer, "review PR 42");
    run(reviewer, id);
    SignedIn.follow(page, "/ui/w/" + reviewer.id() + "?tab=timeline");
    assertThat(entry(page, "status")).containsText("online");
    assertThat(entry(page, "delegation")).containsText("review PR 42");
    assertThat(entry(page, "message").locator(".entry-cause")).containsText("caused by delegation");
    assertThat(entry(page, "run").locator(".entry-cause")).containsText("caused by delegation");
    assertThat(page.locator("svg.lanes .cause.sure")).not().hasCount(0);
    assertThat(page.locator("svg.lanes .cause.guess")).hasCount(0);

    page.getByLabel("runs", new Page.GetByLabelOptions().setExact(true)).uncheck();
    assertThat(entry(page, "run")).hasCount(0);
    page.goBack();
    assertThat(entry(page, "run")).isVisible();
  }

  /** The entry is on the second page: 100 entries are younger than it. */
  private void scrollsToTheEntryThatTheUrlNames(Page page) {
    SignedIn.follow(page, "/ui/runs"); // the timeline is opened at the entry
    String id = delegate(planner, reviewer, "review PR 40");
    run(reviewer, IntStream.range(0, 105).mapToObj(i -> "run " + i).toArray(String[]::new));
    SignedIn.follow(page, "/ui/w/" + reviewer.id() + "?tab=timeline&focus=delegation:" + id);
    Locator focused = page.locator(".entry[aria-current]");
    assertThat(focused).containsText("review PR 40");
    assertThat(focused).isInViewport();

    focused.locator(".disclose").click();
    focused.getByText("link to this").click();
    assertThat(page.getByText("show the newest")).isVisible();
    assertThat(page.locator(".entry[aria-current]")).isInViewport();
    assertThat(page.getByLabel("to", new Page.GetByLabelOptions().setExact(true)))
        .not()
        .hasValue("");
  }

  private void showsTheSpanBetweenTwoTimes(Page page) {
    delegate(planner, reviewer, "review PR 41");
    SignedIn.follow(page, "/ui/w/" + reviewer.id() + "?tab=timeline");
    assertThat(entry(page, "delegation")).isVisible();
    Locator from = page.getByLabel("from", new Page.GetByLabelOptions().setExact(true));
    from.fill("2100-01-01T00:00:01");
    assertThat(page.getByText("Nothing happened in this span.")).isVisible();
    assertThat(page.locator(".page-foot")).containsText("after=2100-01-01T00");
    from.fill("2001-01-01T00:00:01");
    assertThat(page.getByText("That is all since then.")).isVisible();
    page.getByLabel("to", new Page.GetByLabelOptions().setExact(true)).fill("2001-01-02T00:00:01");
    assertThat(page.getByText("Nothing happened in this span.")).isVisible();
    page.getByText("show the newest").click();
    assertThat(entry(page, "delegation")).isVisible();
  }

  private void guessedCausesAreMarked(Page page) {
    delegate(planner, reviewer, "review PR 43");
    CLIENT.get("/workspaces/" + reviewer.id() + "/activity?type=a2a_receive", reviewer.token());
    run(reviewer, "a task of its own");
    SignedIn.follow(page, "/ui/w/" + reviewer.id() + "?tab=timeline");
    assertThat(entry(page, "run").locator(".entry-cause")).containsText("by time only");
    Locator line = page.locator("svg.lanes .cause.guess");
    assertThat(line).not().hasCount(0);
    assertThat(line.first().evaluate("line => getComputedStyle(line).strokeDasharray"))
        .isNotEqualTo("none");
  }

  private void traceFollowsThreeWorkspaces(Page page) {
    Agent tester = member("Tester");
    String first = delegate(planner, reviewer, "review PR 44");
    String second =
        delegate(reviewer, tester, "test PR 44", "\"parent_delegation_id\":\"" + first + "\"");
    run(tester, second);
    CLIENT.post(
        "/workspaces/" + tester.id() + "/delegations/" + second + "/update",
        tester.token(),
        "{\"status\":\"completed\",\"result\":\"all green\"}");
    SignedIn.follow(page, "/ui/w/" + planner.id() + "?tab=delegations");
    page.locator("a[href='/ui/trace/" + first + "']").click();
    Locator nodes = page.locator("li.node");
    assertThat(nodes.filter(new Locator.FilterOptions().setHasText("review PR 44")).first())
        .containsText("Reviewer");
    Locator below = page.locator("li.node.delegation.d1");
    assertThat(below).containsText("Tester");
    assertThat(below).containsText("completed");
    assertThat(page.locator("li.node.run.d2")).containsText("succeeded");
    assertThat(page.locator(".page-head")).containsText("longest wait");
  }
}
