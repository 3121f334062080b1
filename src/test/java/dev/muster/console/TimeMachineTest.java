package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The fleet as it was, as an operator sees it the morning after. */
@InBrowser(sharesCache = true)
class TimeMachineTest {

  private static final TestServer SERVER =
      TestServer.start("LIVENESS_SWEEP_INTERVAL_S=86400", "AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  /** All was well an hour before; one was wedged half an hour ago for ten minutes. */
  private static Instant wedgedAt = Instant.EPOCH;

  private static Agent reviewer = new Agent(new java.util.UUID(0, 0), "");

  /** Was online eleven hours before, and was removed then. */
  private static Agent gone = new Agent(new java.util.UUID(0, 0), "");

  @BeforeAll
  static void makeAPast() {
    // not at a full minute: the steps of the band end there and would skip the change
    wedgedAt = Instant.now().truncatedTo(ChronoUnit.MINUTES).minusSeconds(30 * 60 - 17);
    gone = CLIENT.createOnline("Gone");
    CLIENT.delete("/workspaces/" + gone.id() + "?confirm=true", ADMIN_TOKEN);
    reviewer = CLIENT.createOnline("Reviewer 4711");
    for (int i = 0; i < 4; i++) {
      CLIENT.createOnline("Well " + i);
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            SERVER
                .database()
                .value("SELECT count(*) FROM open_status_periods WHERE status = 'online'")
                .equals("5"));
    SERVER
        .database()
        .execute(
            """
            DELETE FROM ended_status_periods;
            DELETE FROM fleet_minutes;
            UPDATE history_head SET began_at = now() - interval '40 hours',
                minutes_to = date_bin('1 minute', now() - interval '2 hours', 'epoch');
            UPDATE open_status_periods SET since = '%1$s'::timestamptz + interval '10 minutes', previous = 'degraded' WHERE workspace_id = '%2$s';
            UPDATE open_status_periods SET since = '%1$s'::timestamptz - interval '10 hours', previous = NULL WHERE workspace_id <> '%2$s';
            INSERT INTO ended_status_periods (workspace_id, since, seq, until, previous, status, degraded_reason, error) VALUES
                ('%2$s', '%1$s'::timestamptz - interval '10 hours', 1, '%1$s', NULL, 'online', NULL, NULL),
                ('%2$s', '%1$s', 2, '%1$s'::timestamptz + interval '10 minutes', 'online', 'degraded', 'runtime_wedged',
                    'Control request timeout: initialize'),
                ('%3$s', '%1$s'::timestamptz - interval '14 hours', 3, '%1$s'::timestamptz - interval '11 hours', NULL, 'online', NULL, NULL),
                ('%3$s', '%1$s'::timestamptz - interval '11 hours', 4, '%1$s'::timestamptz - interval '11 hours', 'online', 'removed', NULL, NULL)
            """
                .formatted(wedgedAt, reviewer.id(), gone.id()));
    SERVER
        .database()
        .execute(
            "UPDATE events SET created_at = '%s'::timestamptz - interval '1 hour' WHERE workspace_id = '%s'"
                .formatted(wedgedAt, reviewer.id()));
    CLIENT.post(
        "/workspaces/" + reviewer.id() + "/notify", ADMIN_TOKEN, "{\"message\":\"Said today\"}");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> !SERVER.database().value("SELECT count(*) FROM fleet_minutes").equals("0"));
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static Locator slider(Page page) {
    return page.getByRole(
        AriaRole.SLIDER, new Page.GetByRoleOptions().setName("Time that is shown"));
  }

  private static long second(Page page, String attribute) {
    return Long.parseLong(slider(page).getAttribute(attribute));
  }

  private static Locator row(Page page, String name) {
    return page.locator(
        ".fleet-space .fleet-row:not([hidden])",
        new Page.LocatorOptions()
            .setHas(page.getByText(name, new Page.GetByTextOptions().setExact(true))));
  }

  private static String at(int minutes) {
    return "/ui/fleet?at=" + wedgedAt.plus(Duration.ofMinutes(minutes));
  }

  /**
   * Waits until scrubbing has ended at the fault: the address comes last, after the rows are
   * sorted.
   */
  private static void restsAtTheFault(Page page) {
    assertThat(page.locator(".band-when time"))
        .hasAttribute("datetime", wedgedAt.toString().replace("Z", ".000Z"));
    assertThat(page)
        .hasURL(
            Pattern.compile("at=" + wedgedAt.toString().replace(":", "%3A").replace("Z", ".000Z")));
  }

  @Test
  void operatorsLookBackInTime(Tab tab) {
    Page page = tab.openLive(CLIENT.baseUrl(), ADMIN_TOKEN, "/");
    scrubbingForthAndBackIsTheSame(page);
    goesToTheLastChangeAlsoBeforeTheBandIsRead(page);
    keysGoBackInTimeWhileTheSheetIsOpen(page);
    keysActWhileTheSheetOfKeysIsOpen(page);
    saysSinceWhenTheFleetIsRecorded(page);
    actionsAreOffInThePast(page);
    playsAndStops(page);
    isUsedByKeysOnAPhoneAndWithAScreenReader(page);
    Accessibility.check(tab);
    KeyboardWalk.check(page);
    page.setViewportSize(1400, 900);
    tab.expects("status of 410");
    asksOnceForATimeThatIsNotKept(page);
    saysWhereTheHistoryBegins(page);
  }

  @Test
  void operatorsLookAtAWorkspaceAsItWas(Tab tab) {
    Page page = tab.openLive(CLIENT.baseUrl(), ADMIN_TOKEN, "/ui/w/" + reviewer.id());
    ribbonShowsTheShareOnline(page);
    showsAWorkspaceAsItWas(page);
    Accessibility.check(tab);
    leadsFromThePastToNowAndBack(page);
    saysOfAWorkspaceThatItDidNotExistYet(page);
    showsARemovedWorkspaceAsItWas(page);
  }

  private static void saysSinceWhenTheFleetIsRecorded(Page page) {
    SignedIn.follow(page, "/");
    assertThat(slider(page)).containsText("Recorded since");
    page.getByLabel("The band shows").selectOption("1 h");
    assertThat(slider(page)).not().containsText("Recorded since");
    page.getByLabel("The band shows").selectOption("24 h");
  }

  private static void scrubbingForthAndBackIsTheSame(Page page) {
    SignedIn.follow(page, "/");
    assertThat(row(page, "Reviewer 4711")).containsText("online");
    assertThat(slider(page)).hasAttribute("aria-valuetext", Pattern.compile("^now, "));

    page.keyboard().press("[");
    assertThat(page.locator(".band-when")).containsText("As it was");
    assertThat(page).hasURL(Pattern.compile("[?&]at="));
    assertThat(row(page, "Reviewer 4711")).containsText("online");
    button(page, "Previous change").click();
    button(page, "Previous change").click();
    restsAtTheFault(page);
    Locator reviewed = row(page, "Reviewer 4711");
    assertThat(reviewed).containsText("Runtime wedged — “Control request timeout: initialize”");
    assertThat(page.locator(".fleet-row[aria-rowindex='2']")).containsText("Reviewer 4711");
    assertThat(page.locator(".causes")).containsText("Runtime wedged");
    String whole = page.locator(".fleet-body").innerText();

    page.keyboard().press("t");
    assertThat(slider(page)).isFocused();
    for (String key :
        List.of("ArrowLeft", "ArrowLeft", "PageDown", "PageUp", "ArrowRight", "ArrowRight")) {
      page.keyboard().press(key);
    }
    restsAtTheFault(page);
    await() // the rows are drawn after the band
        .pollInSameThread()
        .until(() -> page.locator(".fleet-body").innerText().equals(whole));
    page.keyboard().press("ArrowLeft");
    assertThat(page.locator(".band-trouble")).containsText("all well");
    assertThat(reviewed).containsText("online");
    assertThat(page)
        .hasURL(Pattern.compile("at=" + wedgedAt.minusSeconds(60).toString().substring(0, 13)));

    button(page, "Back to now").click();
    assertThat(page.locator(".time-page")).not().hasClass(Pattern.compile("as-it-was"));
    page.goBack();
    assertThat(page.locator(".band-when")).containsText("As it was");
  }

  private static void goesToTheLastChangeAlsoBeforeTheBandIsRead(Page page) {
    List<Route> held = new CopyOnWriteArrayList<>();
    SignedIn.follow(page, "/ui/runs");
    page.route("**/console/fleet/minutes?**", held::add);
    SignedIn.follow(page, "/");
    page.waitForCondition(() -> !held.isEmpty());
    page.keyboard().press("[");
    page.unroute("**/console/fleet/minutes?**");
    held.forEach(Route::resume);
    assertThat(page.locator(".band-when")).containsText("As it was");
    assertThat(page.locator("#toasts")).hasCount(0);
  }

  private static void keysGoBackInTimeWhileTheSheetIsOpen(Page page) {
    SignedIn.follow(page, "/");
    row(page, "Reviewer 4711").locator(".col-status").click();
    Locator sheet = page.getByRole(AriaRole.COMPLEMENTARY);
    assertThat(sheet).containsText("Reviewer 4711");
    assertThat(slider(page)).isVisible();
    page.keyboard().press("t");
    assertThat(slider(page)).isFocused();
    page.keyboard().press("[");
    assertThat(page.locator(".band-when")).containsText("As it was");
    assertThat(sheet).containsText("Reviewer 4711");
    String then = page.locator(".band-when time").getAttribute("datetime");
    sheet.getByRole(AriaRole.BUTTON).first().focus();
    page.keyboard().press("[");
    assertThat(page.locator(".band-when time")).not().hasAttribute("datetime", then);
    page.keyboard().press("]");
    assertThat(page.locator(".band-when time")).hasAttribute("datetime", then);
  }

  private static void keysActWhileTheSheetOfKeysIsOpen(Page page) {
    SignedIn.follow(page, "/");
    assertThat(row(page, "Reviewer 4711")).isVisible();
    assertThat(slider(page)).isVisible();
    page.keyboard().press("?");
    assertThat(page.getByRole(AriaRole.DIALOG)).isVisible();
    page.keyboard().press("t");
    assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
    assertThat(slider(page)).isFocused();
    page.keyboard().press("?");
    assertThat(page.getByRole(AriaRole.DIALOG)).isVisible();
    page.keyboard().press("[");
    assertThat(page.locator(".band-when")).containsText("As it was");
    assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);

    page.keyboard().press("Control+k");
    assertThat(page.locator(".palette-field")).isFocused();
    String then = page.url();
    page.getByRole(AriaRole.DIALOG).getByRole(AriaRole.BUTTON).first().focus();
    page.keyboard().press("[");
    assertThat(page.getByRole(AriaRole.DIALOG)).isVisible();
    assertThat(page).hasURL(then);
    page.keyboard().press("Escape");
  }

  private static void actionsAreOffInThePast(Page page) {
    SignedIn.follow(page, at(5) + "&sel=" + reviewer.id());
    assertThat(page.locator(".time-page")).hasClass(Pattern.compile("as-it-was"));
    assertThat(row(page, "Reviewer 4711")).containsText("degraded");
    Locator sheet = page.getByRole(AriaRole.COMPLEMENTARY);
    assertThat(sheet).containsText("each request fails until its process restarts");
    for (String name : List.of("Restart", "Pause", "Resume", "Remove", "Message")) {
      assertThat(
              page.getByRole(
                      AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true))
                  .locator("visible=true"))
          .hasCount(0);
    }
    assertThat(page.getByRole(AriaRole.CHECKBOX).locator("visible=true")).hasCount(0);
    assertThat(row(page, "Reviewer 4711").getByText("Timeline"))
        .hasAttribute("href", Pattern.compile("tab=timeline&at="));

    button(page, "Compare with now").click();
    assertThat(page.locator(".band-compared")).containsText("1 online");
    button(page, "Back to now").click();
    assertThat(row(page, "Reviewer 4711")).containsText("online");
  }

  private static void playsAndStops(Page page) {
    SignedIn.follow(page, at(-1));
    assertThat(page.locator(".band-trouble")).containsText("all well");
    assertThat(page.getByLabel("Speed")).hasValue("60"); // at 600 the fault is over after a second
    button(page, "Play").click();
    assertThat(page.locator(".band-trouble")).containsText("1 degraded");
    button(page, "Pause").click();
    page.getByLabel("Speed").selectOption("600");
    button(page, "Play").click();
    assertThat(page.locator(".band-trouble")).containsText("all well");
    slider(page).press("End");
    slider(page).press("ArrowLeft");
    String before = slider(page).getAttribute("aria-valuenow");
    button(page, "Play").click();
    assertThat(slider(page)).not().hasAttribute("aria-valuenow", before);
    assertThat(button(page, "Play")).isVisible(); // it stops where the history ends
  }

  private static void saysWhereTheHistoryBegins(Page page) {
    SignedIn.follow(page, "/ui/fleet?at=2020-01-01T00:00:00Z");
    assertThat(page.getByRole(AriaRole.ALERT).first()).containsText("the history begins at");
  }

  private static void asksOnceForATimeThatIsNotKept(Page page) {
    SignedIn.follow(page, at(5));
    assertThat(page.locator(".band-trouble")).containsText("1 degraded");
    page.getByLabel("The band shows").selectOption("7 d");
    page.waitForCondition(
        () -> second(page, "aria-valuemax") - second(page, "aria-valuemin") == 604_800);
    List<String> asked = new CopyOnWriteArrayList<>();
    page.onRequest(request -> asked.add(request.url()));
    slider(page).press("Home");
    assertThat(page.getByRole(AriaRole.ALERT).first()).containsText("the history begins at");
    assertThat(page).not().hasURL(Pattern.compile("at=" + wedgedAt.toString().substring(0, 10)));
    page.evaluate("() => 0"); // what the page asked for because of its address was sent before
    assertThat(asked.stream().filter(url -> url.contains("/console/fleet/at?"))).hasSize(1);
  }

  private static void isUsedByKeysOnAPhoneAndWithAScreenReader(Page page) {
    page.setViewportSize(390, 844);
    SignedIn.follow(page, at(5));
    assertThat(page.locator(".band-trouble")).containsText("1 degraded");
    assertThat(slider(page)).hasAttribute("aria-valuetext", Pattern.compile("UTC, 1 degraded$"));
    assertThat(button(page, "Back to now")).isInViewport();
    assertThat(page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
        .isEqualTo(true);
  }

  private static void ribbonShowsTheShareOnline(Page page) {
    SignedIn.follow(page, "/ui/w/" + reviewer.id());
    Locator ribbon =
        page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("The last 24 hours"));
    assertThat(ribbon).containsText("98.4 % online");
    assertThat(ribbon.getByRole(AriaRole.IMG))
        .hasAttribute("aria-label", Pattern.compile("98.4 % online, degraded 10 m from "));
    assertThat(ribbon.getByRole(AriaRole.LINK))
        .hasAttribute("href", Pattern.compile("tab=timeline&at="));
  }

  private static void showsAWorkspaceAsItWas(Page page) {
    SignedIn.follow(page, at(5));
    row(page, "Reviewer 4711").getByText("Reviewer 4711").click();
    assertThat(page).hasURL(Pattern.compile("/ui/w/" + reviewer.id() + "\\?at="));
    Locator past = page.locator(".past-line");
    assertThat(past).containsText("As it was");
    assertThat(past).containsText("Nothing can be changed in the past");
    assertThat(past).containsText("of stalls only what the timeline has");
    assertThat(page.locator(".status-line")).containsText("degraded (runtime wedged) since");
    assertThat(page.locator(".status-line")).containsText("(5 m)");
    assertThat(page.locator(".why-box"))
        .containsText("each request fails until its process restarts");
    assertThat(page.locator(".why-box")).containsText("“Control request timeout: initialize”");
    assertThat(page.locator(".ribbon")).containsText(", 5 m");
    for (String name : List.of("Restart", "Pause", "Resume", "Remove…", "Message")) {
      assertThat(button(page, name)).hasCount(0);
    }
    assertThat(page.locator("li.entry")).hasCount(2);
    assertThat(page.locator("main")).not().containsText("Said today");
    page.getByLabel("runs", new Page.GetByLabelOptions().setExact(true)).uncheck();
    assertThat(page).hasURL(Pattern.compile("[?&]at="));
    assertThat(page.locator("li.entry")).hasCount(2);
  }

  private static void leadsFromThePastToNowAndBack(Page page) {
    page.getByText("Back to now").click();
    assertThat(page.locator(".status-line")).containsText("online");
    assertThat(page).not().hasURL(Pattern.compile("[?&]at="));
    assertThat(button(page, "Pause")).isVisible();
    page.goBack();
    assertThat(page.locator(".past-line")).containsText("As it was");
    page.getByText("The fleet then").click();
    assertThat(row(page, "Reviewer 4711")).containsText("degraded");
  }

  private static void saysOfAWorkspaceThatItDidNotExistYet(Page page) {
    SignedIn.follow(page, "/ui/w/" + reviewer.id() + "?at=" + wedgedAt.minus(Duration.ofHours(11)));
    assertThat(page.getByText("It did not exist yet")).isVisible();
    assertThat(page.locator(".status-line")).hasCount(0);
    assertThat(page.locator("li.entry")).hasCount(0);
  }

  private static void showsARemovedWorkspaceAsItWas(Page page) {
    SignedIn.follow(page, "/ui/w/" + gone.id() + "?at=" + wedgedAt.minus(Duration.ofHours(12)));
    assertThat(page.locator(".status-line")).containsText("online");
    assertThat(page.getByText("of its past only the statuses are left")).isVisible();
    page.getByText("Back to now").click();
    assertThat(page.getByText("This workspace was removed")).isVisible();
  }
}
