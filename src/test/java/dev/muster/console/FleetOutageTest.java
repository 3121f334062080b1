package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.muster.testing.FreePorts;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What the page says, and does, while the server, its database or the network is away. */
@InBrowser
class FleetOutageTest {

  private static final String LOST = "WebSocket connection|net::ERR_|status of 503";
  private static final String WEDGED = "\"runtime_state\":\"wedged\",\"sample_error\":\"init\"";
  private static final LocatorAssertions.ContainsTextOptions LATE =
      new LocatorAssertions.ContainsTextOptions().setTimeout(40_000);

  private static final LocatorAssertions.HasTextOptions HAS_TEXT_LATE =
      new LocatorAssertions.HasTextOptions().setTimeout(40_000);
  private static final String UNPUBLISHED = "SELECT count(*) FROM events WHERE seq IS NULL";

  private static String origin(int port) {
    return "http://127.0.0.1:" + port;
  }

  private static Page open(Tab tab, int port) {
    tab.expects(LOST);
    Page page = tab.openLive(origin(port), TestServer.ADMIN_TOKEN, "/ui/fleet");
    page.evaluate("() => { window.isSamePage = true; }");
    return page;
  }

  private static void assertSamePage(Page page) {
    assertThat(page.evaluate("() => window.isSamePage === true")).isEqualTo(true);
  }

  @Test
  void serverRestartResumesWithoutLossOrReload(Tab tab) {
    TestDatabase database = TestDatabases.create();
    int port = FreePorts.next();
    String at = "SERVER_PORT=" + port;
    Agent agent;
    Page page;
    try (TestServer first = TestServer.startOn(database, at)) {
      agent = first.client().createOnline("Survivor");
      page = open(tab, port);
    }
    assertThat(page.locator("#banner")).containsText("Connection lost");
    assertThat(page.locator("#banner")).containsText("data as of");
    try (TestServer second = TestServer.startOn(database, at)) {
      second.client().heartbeat(agent, WEDGED); // before the page is back: it must not miss it
      assertThat(page.locator(".fleet-row[aria-rowindex='2'] .col-why"))
          .containsText("Runtime wedged — “init”", LATE);
      assertThat(page.locator("#connection")).containsText("Live");
      assertSamePage(page);
    }
  }

  @Test
  void databaseOutageIsSaidAndAgesFreeze(Tab tab) throws IOException {
    TestDatabase direct = TestDatabases.create();
    int port = URI.create(direct.url().substring("jdbc:".length())).getPort();
    try (TcpRelay wire = new TcpRelay(port)) {
      TestDatabase relayed =
          new TestDatabase(direct.url().replaceFirst(":" + port + "/", ":" + wire.port() + "/"));
      try (TestServer server = TestServer.startOn(relayed)) {
        server.client().createOnline("Frozen");
        Page page = open(tab, server.port());
        wire.heal(FreePorts.next()); // a port that nothing listens on
        assertThat(page.locator("#connection")).containsText("cannot reach its database", LATE);
        assertThat(page.locator("#banner")).containsText("data as of");
        String age = page.locator(".fleet-row[aria-rowindex='2'] .col-heard").textContent();
        page.evaluate(
            "() => new Promise(done => { let left = 3; const t = setInterval(() => --left ||"
                + " (clearInterval(t), done()), 1000); })");
        assertThat(page.locator(".fleet-row[aria-rowindex='2'] .col-heard")).hasText(age);
        wire.heal(port);
        assertThat(page.locator("#connection")).containsText("Live", LATE);
        assertThat(page.locator("#banner[data-kind=connection]")).hasCount(0);
        assertSamePage(page);
      }
    }
  }

  /** A server that has just started has no events in memory, so what is deleted is a gap. */
  @Test
  void replayGapTakesANewSnapshot(Tab tab) {
    TestDatabase database = TestDatabases.create();
    int port = FreePorts.next();
    String at = "SERVER_PORT=" + port;
    List<String> messages = new CopyOnWriteArrayList<>();
    Agent agent;
    Page page;
    try (TestServer first = TestServer.startOn(database, at)) {
      agent = first.client().createOnline("Forgotten");
      page = open(tab, port);
      page.onConsoleMessage(message -> messages.add(message.text()));
    }
    assertThat(page.locator("#connection")).containsText("Reconnecting");
    try (TestServer elsewhere = TestServer.startOn(database)) {
      elsewhere.client().heartbeat(agent, WEDGED);
      elsewhere.client().create("Meanwhile");
      await().until(() -> database.value(UNPUBLISHED).equals("0"));
    }
    database.execute("DELETE FROM events");
    try (TestServer _ = TestServer.startOn(database, at)) {
      assertThat(page.locator("#connection")).containsText("Live", LATE);
      assertThat(page.locator(".fleet-row[aria-rowindex='2'] .col-why"))
          .containsText("Runtime wedged", LATE);
      assertThat(page.locator(".fleet-space")).containsText("Meanwhile", LATE);
      assertThat(messages).anyMatch(text -> text.contains("not available any more"));
      assertSamePage(page);
      tab.leave();
    }
  }

  @Test
  void aPageThatCouldNotBeLoadedIsShownWhenTheServerIsBack(Tab tab) throws IOException {
    try (TestServer server = TestServer.start();
        TcpRelay wire = new TcpRelay(server.port())) {
      server.client().createOnline("Present");
      Page page = open(tab, wire.port());
      wire.heal(FreePorts.next()); // a port that nothing listens on
      page.locator("nav a[href='/ui/tokens']").click();
      assertThat(page.locator("h1")).hasText("This page could not be loaded");
      wire.heal(server.port());
      assertThat(page.locator("h1")).hasText("Tokens", HAS_TEXT_LATE);
      assertSamePage(page);
    }
  }

  @Test
  void thePageOfAWorkspaceNamesTheSameCauseAsTheFleet(Tab tab) {
    try (TestServer server = TestServer.start()) {
      for (int i = 0; i < 6; i++) {
        server.client().createOnline("Silent " + i);
      }
      server
          .database()
          .execute(
              "UPDATE workspace_heartbeats SET status = 'offline', status_since = now() -"
                  + " interval '7 min', last_heartbeat_at = now() - interval '10 min'");
      Page page = open(tab, server.port());
      Locator why = page.locator(".fleet-row[aria-rowindex='2'] .col-why");
      assertThat(why).containsText("1 of 6 that fell silent within one minute");
      String alike = why.textContent();
      page.locator(".fleet-row[aria-rowindex='2'] .name-link").click();
      assertThat(page.locator(".why-box .cause")).hasText(alike);
      server.database().execute("UPDATE workspaces SET created_at = created_at - interval '1 h'");
      endAnAbsence(server);
      page.reload();
      assertThat(page.locator(".why-box .cause"))
          .containsText("Muster itself did not run from 2026-01-02 03:04:05 to ", LATE);
    }
  }

  @Test
  void ownAbsenceAndMassSilenceAreBanners(Tab tab) {
    try (TestServer server = TestServer.startWithoutSweeps()) {
      server.client().createOnline("Bystander");
      server.database().execute("UPDATE control_plane_uptime SET hold_since = now()");
      Page page = open(tab, server.port());
      assertThat(page.locator("#banner")).containsText("Too many fell silent at once");
      page.locator("nav a[href='/ui/queue']").click(); // banners are on every page
      assertThat(page.locator("h1")).hasText("Queue");
      server.database().execute("UPDATE workspaces SET created_at = created_at - interval '1 h'");
      endAnAbsence(server);
      assertThat(page.locator("#banner"))
          .containsText("Muster itself was away from 2026-01-02 03:04 UTC to ", LATE);
      server
          .database()
          .execute(
              "UPDATE control_plane_uptime SET hold_since = NULL, up_since = now() - interval '1"
                  + " day'");
      assertThat(page.locator("#banner"))
          .isHidden(new LocatorAssertions.IsHiddenOptions().setTimeout(40_000));
    }
  }

  private static void endAnAbsence(TestServer server) {
    server
        .database()
        .execute(
            "UPDATE control_plane_uptime SET down_since = '2026-01-02T03:04:05Z', up_since ="
                + " now()");
  }
}
