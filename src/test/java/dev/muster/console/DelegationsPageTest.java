package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;

/** Delegations as a list and as a graph, and what operators do about them. */
@InBrowser(sharesCache = true)
class DelegationsPageTest {

  private final Agent lead = CLIENT.createOnline("Lead");
  private final Agent worker =
      CLIENT.createOnline(
          "Worker", "\"parent_id\":\"" + lead.id() + "\"", "\"delivery_mode\":\"poll\"");

  private String delegate(String task) {
    return CLIENT
        .post(
            "/workspaces/" + lead.id() + "/delegate",
            lead.token(),
            "{\"target_id\":\"%s\",\"task\":\"%s\"}".formatted(worker.id(), task))
        .field("delegation_id");
  }

  /** Lets the worker take a delegation, and then be silent about it. */
  private String stuck(String task) {
    String id = delegate(task);
    CLIENT.post(
        "/workspaces/" + worker.id() + "/delegations/" + id + "/heartbeat", worker.token(), "");
    // the control plane has been up for long, and the callee silent for 12 minutes
    TestServer.shared()
        .database()
        .execute(
            """
            UPDATE control_plane_uptime SET up_since = now() - interval '1 day';
            UPDATE delegations SET last_heartbeat = now() - interval '12 minutes'
            WHERE delegation_id = '%s'
            """
                .formatted(id));
    CLIENT.post("/admin/delegations/sweep", ADMIN_TOKEN, "");
    return id;
  }

  @Test
  void operatorsLookAfterDelegations(Tab tab) {
    Page page = SignedIn.asAdmin(tab, "/ui/delegations");
    isLimitedToOneWorkspace(page);
    aStuckDelegationIsRetriedFromTheList(page);
    stuckDelegationIsRetriedFromTheGraph(page);
    Accessibility.check(tab);
    failingADelegationTellsItsCallerWhy(page);
    showsTheWholeTaskAndResult(page);
    Accessibility.check(tab);
  }

  private void isLimitedToOneWorkspace(Page page) {
    delegate("only with the worker");
    Agent other = CLIENT.create("Third", "\"parent_id\":\"" + lead.id() + "\"");
    CLIENT.post(
        "/workspaces/" + lead.id() + "/delegate",
        lead.token(),
        "{\"target_id\":\"" + other.id() + "\",\"task\":\"with the third\"}");
    SignedIn.follow(page, "/ui/delegations");
    assertThat(row(page, "with the third")).isVisible();
    row(page, "only with the worker").locator(".disclose").click();
    button(page.locator("tr.detail"), "its callee").click();
    assertThat(row(page, "with the third")).hasCount(0);
    assertThat(row(page, "only with the worker")).isVisible();
    assertThat(page.locator(".page-foot")).containsText("workspace_id=" + worker.id());
    page.getByText("show all").click();
    assertThat(row(page, "with the third")).isVisible();
  }

  private static Locator button(Locator where, String name) {
    return where.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name));
  }

  private static Locator row(Page page, String text) {
    return page.locator("tbody tr:not(.detail)")
        .filter(new Locator.FilterOptions().setHasText(text));
  }

  private void aStuckDelegationIsRetriedFromTheList(Page page) {
    stuck("review 4711");
    SignedIn.follow(page, "/ui/delegations?status=stuck");
    button(row(page, "review 4711"), "Retry").click();
    assertThat(row(page, "review 4711")).hasCount(0);
    page.getByLabel("Status").selectOption("");
    assertThat(row(page, "review 4711")).containsText("dispatched");
    assertThat(page).hasURL(CLIENT.baseUrl() + "/ui/delegations");
  }

  private void failingADelegationTellsItsCallerWhy(Page page) {
    String id = delegate("hopeless");
    SignedIn.follow(page, "/ui/w/" + lead.id() + "?tab=delegations");
    button(row(page, "hopeless"), "Fail…").click();
    Locator dialog = page.getByRole(AriaRole.DIALOG);
    dialog.getByLabel("Reason, for the caller").fill("no time for it");
    button(dialog, "Fail it").click();
    assertThat(row(page, "hopeless")).containsText("no time for it");
    assertThat(
            CLIENT
                .get("/workspaces/" + lead.id() + "/delegations/" + id, ADMIN_TOKEN)
                .field("error_detail"))
        .isEqualTo("no time for it");
  }

  private void showsTheWholeTaskAndResult(Page page) {
    String id = delegate("add");
    CLIENT.post(
        "/workspaces/" + worker.id() + "/delegations/" + id + "/update",
        worker.token(),
        "{\"status\":\"completed\",\"result\":\"42, as always\"}");
    SignedIn.follow(page, "/ui/w/" + worker.id() + "?tab=delegations");
    row(page, "add").locator(".disclose").click();
    assertThat(page.locator("tr.detail")).containsText("42, as always");
  }

  private void stuckDelegationIsRetriedFromTheGraph(Page page) {
    String id = stuck("from the graph");
    SignedIn.follow(page, "/ui/delegations?view=graph");
    Locator line =
        page.locator("tbody tr:not(.detail)")
            .filter(
                new Locator.FilterOptions().setHas(page.locator("a[href$='" + worker.id() + "']")));
    assertThat(line).containsText("stuck");
    line.locator(".disclose").click();
    Locator one =
        page.locator(".between li")
            .filter(new Locator.FilterOptions().setHasText("from the graph"));
    button(one, "Retry").click();
    assertThat(one).containsText("dispatched");
    assertThat(
            CLIENT
                .get("/workspaces/" + lead.id() + "/delegations/" + id, ADMIN_TOKEN)
                .field("status"))
        .isEqualTo("dispatched");
    assertThat(page.locator("svg.graph .node").first()).isVisible();
  }
}
