package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.console.bulk.BulkFleet;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Workspaces chosen in the fleet, and what is done to all of them at once. */
@InBrowser(sharesCache = true)
class BulkPageTest {

  private static final TestServer SERVER = TestServer.start("LIVENESS_SWEEP_INTERVAL_S=86400");
  private static final TestClient CLIENT = SERVER.client();

  static {
    // before the first page: these have no events, so a snapshot that is kept would lack them
    BulkFleet.insert(SERVER.database(), "Many", 500);
    BulkFleet.insert(SERVER.database(), "Left alone", 3);
    BulkFleet.insert(SERVER.database(), "Aged", 12);
    BulkFleet.insert(SERVER.database(), "Small", 2);
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static void openFleet(Page page, String filter, int matches) {
    SignedIn.follow(page, "/ui/fleet?q=" + filter);
    assertThat(grid(page)).hasAttribute("aria-rowcount", String.valueOf(matches + 1));
  }

  private static Locator grid(Page page) {
    return page.getByRole(AriaRole.GRID);
  }

  private static Locator bar(Page page) {
    return page.getByRole(
        AriaRole.REGION, new Page.GetByRoleOptions().setName("Selected workspaces"));
  }

  private static Locator button(Locator within, String name) {
    return within.getByRole(
        AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true));
  }

  private static Locator dialog(Page page) {
    return page.getByRole(AriaRole.DIALOG);
  }

  private static Locator totals(Page page) {
    return page.locator(".bulk-progress");
  }

  private static void selectAll(Page page) {
    page.getByLabel("Select all that match the filter").check();
  }

  private static int count(String name, String status) {
    return Integer.parseInt(
        SERVER
            .database()
            .value(
                """
                SELECT count(*) FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
                WHERE w.name LIKE '%s%%' AND b.status = '%s'
                """
                    .formatted(name, status)));
  }

  @Test
  void operatorsChangeManyAtOnce(Tab tab) {
    Page page = tab.openLive(CLIENT.baseUrl(), TestServer.ADMIN_TOKEN, "/ui/fleet?q=name:many");
    bulkPausesFiveHundredAndUndoes(page);
    bulkReportsEachFailure(tab);
    removeWantsTheCountTyped(page);
    offersToCancelWhatCanBeCancelled(page);
    sendsTheChosenOnesAMessage(page);
    worksByKeysAloneAndOnAPhone(tab);
    page.setViewportSize(1400, 900);
    tab.expects("status of 409");
    bulkRefusesAChangedCount(page);
  }

  private static void bulkPausesFiveHundredAndUndoes(Page page) {
    openFleet(page, "name:many", 500);

    grid(page).focus();
    page.keyboard().press("x");
    page.keyboard().press("j");
    page.keyboard().press("x");
    assertThat(bar(page)).containsText("2 selected of 500 that match");
    assertThat(page.locator(".fleet-space .col-choose input:checked")).hasCount(2);
    button(bar(page), "Select all 500").click();
    assertThat(bar(page)).containsText("500 selected");
    button(bar(page), "Pause").click();
    assertThat(dialog(page)).containsText("500 of 500 will be paused");
    assertThat(dialog(page)).containsText("Many ");
    button(dialog(page), "Pause 500").click();

    page.waitForURL(Pattern.compile("/ui/bulk/[0-9a-f-]{36}$"));
    assertThat(totals(page)).containsText("500 paused");
    assertThat(totals(page)).containsText("done");
    page.reload();
    assertThat(totals(page)).containsText("500 paused");
    assertThat(count("Many", "paused")).isEqualTo(500);
    assertThat(count("Left alone", "online")).isEqualTo(3);

    button(page.locator("main"), "Undo").click();
    assertThat(totals(page)).containsText("500 taken back");
    assertThat(count("Many", "awaiting_agent")).isEqualTo(500);
    page.goBack();
    assertThat(page.getByText("undone by")).isVisible();
    assertThat(button(page.locator("main"), "Undo")).hasCount(0);

    SignedIn.follow(page, "/ui/ops?tab=audit&target=" + page.url().replaceAll(".*/", ""));
    Locator entry =
        page.locator("tbody tr").filter(new Locator.FilterOptions().setHasText("changed many"));
    assertThat(entry)
        .containsText("pause of 500 workspaces by “name:many”: 500 done, 0 skipped, 0 failed");
    assertThat(entry).containsText("night shift");
  }

  private static void bulkReportsEachFailure(Tab tab) {
    Page page = tab.page();
    Agent lead = CLIENT.createOnline("Refused lead");
    CLIENT.createOnline("Child of it", "\"parent_id\":\"" + lead.id() + "\"");
    CLIENT.createOnline("Refused not");
    openFleet(page, "name:refused", 2);
    selectAll(page);
    button(bar(page), "Pause").click();
    assertThat(dialog(page)).containsText("1 not: has children that would not be changed with it");
    button(dialog(page), "Pause 1").click();

    assertThat(totals(page)).containsText("1 failed");
    Locator failure = page.locator("tbody tr");
    assertThat(failure).hasCount(1);
    assertThat(failure).containsText("Refused lead");
    assertThat(failure)
        .containsText("the workspace has children (1) that are not among those to pause");
    Accessibility.check(tab);
    failure.getByRole(AriaRole.LINK).click();
    page.waitForURL("**/ui/w/" + lead.id());
  }

  private static void bulkRefusesAChangedCount(Page page) {
    for (int i = 0; i < 3; i++) {
      CLIENT.createOnline("Counted " + i);
    }
    openFleet(page, "name:counted", 3);
    selectAll(page);
    button(bar(page), "Restart").click();
    assertThat(dialog(page)).containsText("3 of 3 will be asked to restart");
    Agent late = CLIENT.createOnline("Counted too late");
    button(dialog(page), "Restart 3").click();

    assertThat(dialog(page).getByRole(AriaRole.ALERT))
        .containsText("4 workspaces match now, not 3; nothing was changed");
    assertThat(dialog(page)).containsText("4 of 4 will be asked to restart");
    assertThat(CLIENT.read(late).path("restart_requested_at").isString()).isFalse();
    button(dialog(page), "Restart 4").click();
    assertThat(totals(page)).containsText("4 asked to restart");
    assertThat(CLIENT.read(late).path("restart_requested_at").isString()).isTrue();
  }

  private static void removeWantsTheCountTyped(Page page) {
    openFleet(page, "name:aged", 12);
    selectAll(page);
    button(bar(page), "Remove…").click();
    Locator remove = button(dialog(page), "Remove 12");
    assertThat(remove).isDisabled();
    dialog(page).getByLabel("Type the number of workspaces: 12").fill("11");
    assertThat(remove).isDisabled();
    dialog(page).getByLabel("Type the number of workspaces: 12").fill("12");
    remove.click();

    assertThat(totals(page)).containsText("12 removed");
    assertThat(count("Aged", "removed")).isEqualTo(12);
    assertThat(button(page.locator("main"), "Undo")).hasCount(0);
  }

  /** A run that only ends what removed workspaces left open; then one that has more to change. */
  private static void offersToCancelWhatCanBeCancelled(Page page) {
    UUID run = UUID.randomUUID();
    SERVER
        .database()
        .execute(
            """
            INSERT INTO bulk_runs (id, action, cascade, who, targets, total, stored, created_at, due_at)
            VALUES ('%s', 'remove', true, 'admin', ARRAY[gen_random_uuid()], 1, 1, now(), now() + interval '1 hour')
            """
                .formatted(run));
    page.navigate(CLIENT.baseUrl() + "/ui/bulk/" + run);
    assertThat(totals(page)).containsText("It only ends the messages");
    Locator cancel = button(page.locator("main"), "Cancel the rest");
    assertThat(cancel).hasCount(0);

    SERVER.database().execute("UPDATE bulk_runs SET stored = 0 WHERE id = '" + run + "'");
    page.reload();
    cancel.click();
    assertThat(totals(page)).containsText("cancelled");
    assertThat(cancel).hasCount(0);
  }

  private static void sendsTheChosenOnesAMessage(Page page) {
    Agent receiver = CLIENT.createOnline("Told A");
    Agent other = CLIENT.createOnline("Told B");
    // by name, so that no row moves when a status comes
    openFleet(page, "name:told&sort=name", 2);
    page.getByLabel("Select Told A").click();
    assertThat(bar(page)).containsText("1 selected of 2 that match");
    button(bar(page), "Message…").click();
    assertThat(button(dialog(page), "Send to 1")).isDisabled();
    dialog(page).getByLabel("Message").fill("stop at six");
    button(dialog(page), "Send to 1").click();

    assertThat(totals(page)).containsText("1 sent the message");
    String admin = TestServer.ADMIN_TOKEN;
    assertThat(CLIENT.get("/workspaces/" + receiver.id() + "/activity", admin).text())
        .contains("stop at six");
    assertThat(CLIENT.get("/workspaces/" + other.id() + "/activity", admin).json()).isEmpty();
  }

  private static void worksByKeysAloneAndOnAPhone(Tab tab) {
    Page page = tab.page();
    openFleet(page, "name:small", 2);
    selectAll(page);
    assertThat(bar(page)).containsText("2 selected");
    Accessibility.check(tab);
    KeyboardWalk.check(page);
    button(bar(page), "Resume").click();
    assertThat(dialog(page)).containsText("0 of 2 will be resumed");
    assertThat(button(dialog(page), "Resume 0")).isDisabled();
    Accessibility.check(tab);
    page.keyboard().press("Escape");
    page.setViewportSize(320, 640);
    for (String path : new String[] {"/ui/fleet?q=name:small", "/ui/bulk"}) {
      SignedIn.follow(page, path);
      if (path.startsWith("/ui/fleet")) {
        page.getByLabel("Select Small 1").click();
        assertThat(button(bar(page), "Pause")).isVisible();
      }
      assertThat(
              page.evaluate(
                  "() => document.documentElement.scrollWidth <="
                      + " document.documentElement.clientWidth"))
          .as(path)
          .isEqualTo(true);
    }
  }
}
