package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PageAssertions;
import dev.muster.testing.FreePorts;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page says, and does, while the server, its database or the network is away. */
@InBrowser
class FleetOutageTest {

  static final String LOST = "WebSocket connection|net::ERR_|status of 503";
  private static final String WEDGED = "\"runtime_state\":\"wedged\",\"sample_error\":\"init\"";
  static final LocatorAssertions.ContainsTextOptions LATE =
      new LocatorAssertions.ContainsTextOptions().setTimeout(40_000);

  private static final LocatorAssertions.HasTextOptions HAS_TEXT_LATE =
      new LocatorAssertions.HasTextOptions().setTimeout(40_000);
  private static final String GAP = "not available any more";
  private static final String UNPUBLISHED = "SELECT count(*) FROM events WHERE seq IS NULL";

  /**
   * Pauses of the page before it asks or connects again: a fifth of those that people wait. The
   * limits of requests, which are exact, stay.
   */
  private static final String SHORT_PAUSES =
      """
      const limits = [3000, 8000, 15000, 60000];
      for (const name of ['setTimeout', 'setInterval']) {
        const real = window[name];
        window[name] = (fn, ms, ...more) =>
          real(fn, ms >= 750 && !limits.includes(ms) ? ms / 5 : ms, ...more);
      }
      """;

  /** The server refuses the address of each WebSocket, as a proxy may. */
  private static final String NO_WEB_SOCKET =
      """
      window.WebSocket = class extends WebSocket {
        constructor(url, protocols) {
          super(String(url).replace('/ws?', '/no-ws?'), protocols);
        }
      };
      """;

  /** Pauses of the watch on the server: a quarter of the real ones. */
  static final String SHORT_WATCH =
      """
      async () => {
        const { src } = document.querySelector('script[src$="/app.js"]');
        const { PAUSES } = await import(src.replace('app.js', 'net/link.js'));
        PAUSES.quiet /= 4;
        PAUSES.answer /= 2;
        PAUSES.again = PAUSES.again.map(ms => ms / 4);
      }
      """;

  /** Hides the document, or shows it, as another tab does. */
  private static final String HIDE =
      """
      is => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: is });
        document.dispatchEvent(new Event('visibilitychange'));
      }
      """;

  /** The page wakes up after a minute. Returns what it shows before anything else runs in it. */
  private static final String SLEEP =
      """
      () => {
        const { now } = Date;
        Date.now = () => now() + 60_000;
        document.dispatchEvent(new Event('resume'));
        return document.querySelector('#connection').textContent;
      }
      """;

  /** Waits in the page for a time in ms, which {@link #SHORT_PAUSES} does not shorten. */
  private static final String PAUSE =
      """
      ms => new Promise(done => {
        const end = performance.now() + ms;
        const timer = setInterval(() => performance.now() > end && (clearInterval(timer), done()), 100);
      })
      """;

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final int DATABASE_PORT =
      URI.create(DATABASE.url().substring("jdbc:".length())).getPort();
  private static final TcpRelay DATABASE_WIRE = relayTo(DATABASE_PORT);

  /** Reaches its database by a relay; the restarts have servers of their own. */
  private static final TestServer SERVER =
      TestServer.startWithoutSweepsOn(
          new TestDatabase(
              DATABASE
                  .url()
                  .replaceFirst(":" + DATABASE_PORT + "/", ":" + DATABASE_WIRE.port() + "/")));

  @AfterAll
  static void stop() throws IOException {
    SERVER.close();
    DATABASE_WIRE.close();
  }

  /** No absence of the server, and no hold. */
  @BeforeEach
  void isUp() {
    DATABASE.execute(
        "UPDATE control_plane_uptime SET hold_since = NULL, up_since = now() - interval '1 day'");
  }

  private static TcpRelay relayTo(int port) {
    try {
      return new TcpRelay(port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String origin(int port) {
    return "http://127.0.0.1:" + port;
  }

  private static Page open(Tab tab, int port) {
    tab.expects(LOST);
    tab.page().addInitScript(SHORT_PAUSES);
    Page page = tab.openLive(origin(port), TestServer.ADMIN_TOKEN, "/ui/fleet");
    page.evaluate("() => { window.isSamePage = true; }");
    return page;
  }

  /** Opens a page with the real pauses. */
  private static Page openAtPace(Tab tab, String origin, String path) {
    tab.expects(LOST);
    Page page = tab.openLive(origin, TestServer.ADMIN_TOKEN, path);
    page.evaluate("() => { window.isSamePage = true; }");
    return page;
  }

  private static void assertSamePage(Page page) {
    assertThat(page.evaluate("() => window.isSamePage === true")).isEqualTo(true);
  }

  /** A server that has just started has no events in memory, so what is deleted is a gap. */
  @Test
  void aRestartLosesNothingAndAGapOfEventsTakesANewSnapshot(Tab tab) throws IOException {
    TestDatabase database = TestDatabases.create();
    int port = FreePorts.next();
    String at = "SERVER_PORT=" + port;
    List<String> messages = new CopyOnWriteArrayList<>();
    List<Long> resumedAfter = new CopyOnWriteArrayList<>();
    try (TcpRelay wire = new TcpRelay(port)) {
      Agent survivor;
      Page page;
      try (TestServer first = TestServer.startOn(database, at)) {
        survivor = first.client().createOnline("Survivor");
        tab.page().onWebSocket(socket -> resumedAfter.add(after(socket.url())));
        page = open(tab, wire.port());
        page.onConsoleMessage(message -> messages.add(message.text()));
        first.client().createOnline("Told by an event");
        assertThat(row(page, "Told by an event")).isVisible();
      }
      assertThat(page.locator("#banner")).containsText("Connection lost");
      assertThat(page.locator("#banner")).containsText("data as of");
      try (TestServer second = TestServer.startOn(database, at)) {
        second.client().heartbeat(survivor, WEDGED); // before the page is back: it must not miss it
        assertThat(row(page, "Survivor").locator(".col-why"))
            .containsText("Runtime wedged — “init”", LATE);
        assertThat(page.locator("#connection")).containsText("Live");
        assertThat(resumedAfter.getLast()).isGreaterThan(resumedAfter.getFirst());
        assertThat(messages).noneMatch(text -> text.contains(GAP));
        Agent forgotten = second.client().createOnline("Forgotten");
        assertThat(row(page, "Forgotten")).isVisible();
        wire.heal(FreePorts.next()); // a port that nothing listens on
        assertThat(page.locator("#connection")).containsText("Reconnecting");
        second.client().heartbeat(forgotten, WEDGED);
        second.client().create("Meanwhile");
        await().until(() -> database.value(UNPUBLISHED).equals("0"));
      }
      database.execute("DELETE FROM events");
      try (TestServer _ = TestServer.startOn(database, at)) {
        wire.heal(port);
        assertThat(page.locator("#connection")).containsText("Live", LATE);
        assertThat(row(page, "Forgotten").locator(".col-why")).containsText("Runtime wedged", LATE);
        assertThat(page.locator(".fleet-space")).containsText("Meanwhile", LATE);
        assertThat(messages).anyMatch(text -> text.contains(GAP));
        assertSamePage(page);
        tab.leave();
      }
    }
  }

  /**
   * A hang closes no connection (T1, docs/internals/console.md). That the real pauses are 15 s
   * together is a unit test.
   */
  @Test
  void aHangIsSaidAndThePageGoesOnAfterIt(Tab tab) throws IOException {
    try (TcpRelay wire = new TcpRelay(SERVER.port())) {
      Agent agent = SERVER.client().createOnline("Hung");
      List<String> sockets = new CopyOnWriteArrayList<>();
      tab.page()
          .onWebSocket(socket -> sockets.add(socket.url().replaceFirst(".*[?&](\\w+)=.*", "$1")));
      Page page = openAtPace(tab, origin(wire.port()), "/ui/w/" + agent.id());
      page.waitForCondition(() -> sockets.stream().distinct().count() == 2);
      page.evaluate(SHORT_WATCH);
      wire.swallow();
      assertThat(page.locator("#connection")).containsText("Not answering", LATE);
      assertThat(page.locator("#banner"))
          .containsText(Pattern.compile("Not answering since [\\d:]{8} — data as of [\\d:]{8}"));
      assertThat(page.locator("html")).hasClass(Pattern.compile("stale"));
      assertThat(page).hasTitle("? Hung · Muster");
      wire.heal(SERVER.port());
      assertThat(page.locator("#connection")).containsText("Live", LATE);
      assertThat(page.locator("#banner[data-kind=connection]")).hasCount(0);
      assertThat(page).hasTitle("Hung · Muster");
      page.waitForCondition(() -> sockets.stream().distinct().count() == 2 && sockets.size() >= 4);
      SERVER.client().heartbeat(agent, WEDGED);
      assertThat(page.locator(".status-line")).containsText("degraded", LATE);
      assertSamePage(page);
      tab.leave();
    }
  }

  /**
   * SIGSTOP: all connections stay open, and nothing is answered until it goes on. Costs a start.
   */
  @Test
  void aStoppedProcessIsSaidAndGoesOnInTheSamePage(Tab tab, @TempDir Path home) throws Exception {
    var settings = ServerProcess.settings(TestDatabases.create().url());
    try (ServerProcess server = ServerProcess.start(home, settings).awaitReady()) {
      Agent agent = server.client().createOnline("Stopped");
      Page page = openAtPace(tab, server.client().baseUrl(), "/ui/fleet");
      assertThat(row(page, "Stopped")).isVisible();
      page.evaluate(SHORT_WATCH);
      server.signal("STOP");
      assertThat(page.locator("#connection")).containsText("Not answering", LATE);
      assertThat(page).hasTitle("? Fleet · Muster");
      server.signal("CONT");
      assertThat(page.locator("#connection")).containsText("Live", LATE);
      server.client().heartbeat(agent, WEDGED);
      assertThat(row(page, "Stopped").locator(".col-why")).containsText("Runtime wedged", LATE);
      assertThat(page).hasTitle("Fleet · Muster");
      assertSamePage(page);
      tab.leave();
    }
  }

  @Test
  void aHangIsSaidInTheTitleOfAHiddenTab(Tab tab) throws IOException {
    try (TcpRelay wire = new TcpRelay(SERVER.port())) {
      SERVER.client().createOnline("Hidden");
      Page page = openAtPace(tab, origin(wire.port()), "/ui/fleet");
      page.evaluate(SHORT_WATCH);
      page.evaluate(HIDE, true);
      wire.swallow();
      assertThat(page)
          .hasTitle("? Fleet · Muster", new PageAssertions.HasTitleOptions().setTimeout(40_000));
      page.evaluate(HIDE, false);
      assertThat(page.locator("#banner")).containsText("data as of");
      wire.heal(SERVER.port());
      assertThat(page)
          .hasTitle("Fleet · Muster", new PageAssertions.HasTitleOptions().setTimeout(40_000));
      assertSamePage(page);
      tab.leave();
    }
  }

  /** Requests go through, and the request for a WebSocket is refused. */
  @Test
  void behindAProxyWithoutWebSocketTheDataIsOfWhenItWasLoaded(Tab tab) {
    SERVER.client().createOnline("Proxied");
    tab.page().addInitScript(NO_WEB_SOCKET);
    tab.expects(LOST);
    Page page = tab.signIn(SERVER.client().baseUrl(), TestServer.ADMIN_TOKEN, "/ui/fleet").page();

    assertThat(page.locator("#banner"))
        .containsText(Pattern.compile("Connection lost.* — data as of [\\d:]{8}"), LATE);
    assertThat(page.locator("html")).hasClass(Pattern.compile("stale"));
    assertThat(page.locator(".fleet-row .name-link").first()).isVisible();
    tab.leave();
  }

  @Test
  void nothingIsOfNowAfterASleep(Tab tab) throws IOException {
    try (TcpRelay wire = new TcpRelay(SERVER.port())) {
      SERVER.client().createOnline("Asleep");
      Page page = openAtPace(tab, origin(wire.port()), "/ui/fleet");
      page.evaluate(SHORT_WATCH);
      wire.swallow();
      assertThat(page.evaluate(SLEEP)).isEqualTo("Checking");
      assertThat(page.locator("#connection")).containsText("Not answering", LATE);
      assertThat(page.locator("#banner")).containsText("data as of");
      wire.heal(SERVER.port());
      assertThat(page.locator("#connection")).containsText("Live", LATE);
      assertSamePage(page);
      tab.leave();
    }
  }

  @Test
  void databaseOutageIsSaidAndAgesFreeze(Tab tab) {
    SERVER.client().createOnline("Frozen");
    Page page = open(tab, SERVER.port());
    Locator heard = row(page, "Frozen").locator(".col-heard");
    DATABASE_WIRE.heal(FreePorts.next()); // a port that nothing listens on
    try {
      assertThat(page.locator("#connection")).containsText("cannot reach its database", LATE);
      assertThat(page.locator("#banner")).containsText("data as of");
      String age;
      int looks = 0;
      do { // what was on its way may still arrive
        age = heard.textContent();
        page.evaluate(PAUSE, 3000);
      } while (!heard.textContent().equals(age) && ++looks < 5);
      assertThat(age).matches(".*\\d s.*");
      assertThat(heard.textContent()).isEqualTo(age);
      assertThat(page.locator("#connection")).containsText("cannot reach its database");
    } finally {
      DATABASE_WIRE.heal(DATABASE_PORT);
    }
    assertThat(page.locator("#connection")).containsText("Live", LATE);
    assertThat(page.locator("#banner[data-kind=connection]")).hasCount(0);
    assertSamePage(page);
  }

  @Test
  void aPageThatCouldNotBeLoadedIsShownWhenTheServerIsBack(Tab tab) throws IOException {
    try (TcpRelay wire = new TcpRelay(SERVER.port())) {
      SERVER.client().createOnline("Present");
      Page page = open(tab, wire.port());
      wire.heal(FreePorts.next()); // a port that nothing listens on
      page.locator("nav a[href='/ui/tokens']").click();
      assertThat(page.locator("h1")).hasText("This page could not be loaded");
      wire.heal(SERVER.port());
      assertThat(page.locator("h1")).hasText("Tokens", HAS_TEXT_LATE);
      assertSamePage(page);
      tab.leave();
    }
  }

  /** On a server of its own, which has kept no snapshot from before the change without an event. */
  @Test
  void thePageOfAWorkspaceNamesTheSameCauseAsTheFleet(Tab tab) {
    TestDatabase database = TestDatabases.create();
    try (TestServer server = TestServer.startWithoutSweepsOn(database)) {
      for (int i = 0; i < 6; i++) {
        server.client().createOnline("Silent " + i);
      }
      await().until(() -> database.value(UNPUBLISHED).equals("0"));
      database.execute(
          "UPDATE workspace_heartbeats SET status = 'offline', status_since = now() - interval '7"
              + " min', last_heartbeat_at = now() - interval '10 min'");
      Page page = open(tab, server.port());
      Locator why = page.locator(".fleet-row[aria-rowindex='2'] .col-why");
      assertThat(why).containsText("1 of 6 that fell silent within one minute");
      String alike = why.textContent();
      page.locator(".fleet-row[aria-rowindex='2'] .name-link").click();
      assertThat(page.locator(".why-box .cause")).hasText(alike);
      database.execute("UPDATE workspaces SET created_at = created_at - interval '1 h'");
      endAnAbsence(database);
      page.reload();
      assertThat(page.locator(".why-box .cause"))
          .containsText("Muster itself did not run from 2026-01-02 03:04:05 to ", LATE);
      page.locator("nav a[href='/']").click();
      Locator line =
          page.locator(".causes li").filter(new Locator.FilterOptions().setHasText("6 offline"));
      assertThat(line.locator(".cause-text")).containsText("Muster itself did not run", LATE);
      assertThat(line.locator(".hint")).hasText("→ Wait");
      assertThat(why).containsText("Muster itself did not run");
      tab.leave();
    }
  }

  @Test
  void ownAbsenceAndMassSilenceAreBanners(Tab tab) {
    SERVER.client().createOnline("Bystander");
    DATABASE.execute("UPDATE control_plane_uptime SET hold_since = now()");
    Page page = open(tab, SERVER.port());
    assertThat(page.locator("#banner")).containsText("Too many fell silent at once");
    page.locator("nav a[href='/ui/queue']").click(); // banners are on every page
    assertThat(page.locator("h1")).hasText("Queue");
    DATABASE.execute("UPDATE workspaces SET created_at = created_at - interval '1 h'");
    endAnAbsence(DATABASE);
    assertThat(page.locator("#banner"))
        .containsText("Muster itself was away from 2026-01-02 03:04 UTC to ", LATE);
    isUp();
    assertThat(page.locator("#banner"))
        .isHidden(new LocatorAssertions.IsHiddenOptions().setTimeout(40_000));
  }

  private static long after(String url) {
    return Long.parseLong(url.replaceFirst(".*[?&]after=(\\d+).*", "$1"));
  }

  private static Locator row(Page page, String name) {
    return page.locator(".fleet-row:visible").filter(new Locator.FilterOptions().setHasText(name));
  }

  private static void endAnAbsence(TestDatabase database) {
    database.execute(
        "UPDATE control_plane_uptime SET down_since = '2026-01-02T03:04:05Z', up_since = now()");
  }
}
