package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.sun.net.httpserver.HttpServer;
import dev.muster.testing.ConsoleSession;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signing in and out in a real browser, and what a session is worth to others (R1.9). */
@InBrowser
class SignInFlowsTest {

  private static final TestServer SERVER = TestServer.start();
  private static final TestClient CLIENT = SERVER.client();
  private static final String ORIGIN = CLIENT.baseUrl();
  private static final Agent AGENT = CLIENT.createOnline("Reviewer");

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static String link(String role) {
    Answer made =
        CLIENT.post(
            "/console/links",
            ADMIN_TOKEN,
            "{\"role\":\"%s\",\"name\":\"night shift\"}".formatted(role));
    return made.field("url").substring(ORIGIN.length());
  }

  private static Page signIn(Tab tab, String path, String token) {
    Page page = tab.go(ORIGIN, path).page();
    page.getByLabel("Token").fill(token);
    page.getByRole(AriaRole.BUTTON, named("Sign in")).click();
    assertThat(page.locator(".user")).isVisible();
    return page;
  }

  private static Page.GetByRoleOptions named(String name) {
    return new Page.GetByRoleOptions().setName(name).setExact(true);
  }

  @Test
  void startLinkSignsInOnceAndOnlyOnce(Tab tab) {
    String link = link("operator");
    Page page = tab.go(ORIGIN, link).page();

    assertThat(page.locator(".user")).containsText("night shift");
    assertThat(page.locator(".user")).containsText("(operator)");
    assertThat(page.url()).isIn(ORIGIN + "/", ORIGIN + "/ui/fleet");
    page.goBack();
    assertThat(page.url()).doesNotContain("start=");

    try (Tab other = Tab.open().expects("status of 401")) {
      Page second = other.go(ORIGIN, link).page();
      assertThat(second.getByRole(AriaRole.ALERT)).containsText("used already");
      assertThat(second.url()).isEqualTo(ORIGIN + "/ui/signin");
      assertThat(second.locator(".user")).hasCount(0);
      other.assertNoFaults();
    }
  }

  @Test
  void oldLinkSaysHowToGetANewOne(Tab tab, @TempDir Path home) throws Exception {
    tab.expects("status of 401");
    String link = link("viewer");
    SERVER
        .database()
        .execute("UPDATE console_links SET expires_at = now() WHERE redeemed_at IS NULL");

    Page page = tab.go(ORIGIN, link).page();

    assertThat(page.getByRole(AriaRole.ALERT)).containsText("too old");
    Locator commands = page.locator(".signin .command code");
    assertThat(commands).hasCount(2);
    assertThat(commands.first()).isVisible();
    assertThat(page.locator(".signin .command button")).hasCount(2);
    assertThat(page.getByLabel("Token")).isVisible();
    Accessibility.check(tab);
    Files.createDirectories(home.resolve(".muster"));
    Files.writeString(home.resolve(".muster/admin-token"), ADMIN_TOKEN);
    String made = shell(home, commands.allTextContents());
    assertThat(made).contains("\"url\":\"" + ORIGIN + "/ui/signin#start=");
  }

  /** Returns the output of commands that are pasted into a terminal one after the other. */
  private static String shell(Path home, List<String> commands) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("sh").redirectErrorStream(true);
    builder.environment().put("HOME", home.toString());
    Process shell = builder.start();
    try (Writer terminal = shell.outputWriter()) {
      terminal.write(String.join("\n", commands) + "\n");
    }
    String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    shell.waitFor();
    return output;
  }

  @Test
  void adminTokenSignsInAndIsKeptNowhere(Tab tab) {
    Page page = signIn(tab, "/ui/signin", ADMIN_TOKEN);

    String kept =
        page.content()
            + page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
            + page.evaluate("() => document.cookie + location.href + JSON.stringify(history.state)")
            + page.context().cookies();
    assertThat(kept).contains("muster-page").doesNotContain(ADMIN_TOKEN);
    assertThat(page.evaluate("() => document.cookie")).isEqualTo("");
  }

  @Test
  void logOutEndsStreamsAndClearsTheSite(Tab tab) {
    tab.expects("status of 401|HTTP Authentication failed"); // a stream that connects meanwhile
    AtomicInteger closed = new AtomicInteger();
    AtomicInteger opened = new AtomicInteger();
    tab.page()
        .onWebSocket(socket -> {
          opened.incrementAndGet();
          socket.onClose(_ -> closed.incrementAndGet());
        });
    Page page = signIn(tab, "/ui/w/" + AGENT.id(), ADMIN_TOKEN);
    page.waitForCondition(() -> opened.get() > 0);
    String cookie = page.context().cookies().getFirst().value;
    String key = (String) page.evaluate("() => localStorage.getItem('muster-page')");
    ConsoleSession session = new ConsoleSession("muster-" + SERVER.port() + "=" + cookie, key);
    assertThat(CLIENT.get("/console/session", null, session.headers()).status()).isEqualTo(200);

    page.locator(".user > button").click();
    page.getByRole(AriaRole.BUTTON, named("Sign out")).click();

    assertThat(page.getByLabel("Token")).isVisible();
    page.waitForCondition(() -> closed.get() == opened.get());
    assertThat(page.context().cookies()).isEmpty();
    assertThat(page.evaluate("() => localStorage.getItem('muster-page')")).isNull();
    assertThat(CLIENT.get("/console/session", null, session.headers()).status()).isEqualTo(401);
  }

  @Test
  void deepLinkSurvivesSigningIn(Tab tab) {
    String deep = "/ui/delegations?status=stuck";
    Page page = signIn(tab, deep, ADMIN_TOKEN);

    assertThat(page).hasURL(ORIGIN + deep);
    assertThat(page.locator(".bar nav [aria-current=page]"))
        .hasText(Pattern.compile("Delegations.*"));
  }

  @Test
  void anEndedSessionAsksToSignInInPlace(Tab tab) {
    tab.expects("status of 401|HTTP Authentication failed"); // a stream that connects meanwhile
    Page page = signIn(tab, "/ui/queue?state=waiting", ADMIN_TOKEN);
    SERVER.database().execute("UPDATE console_sessions SET ended_at = now()");

    assertThat(page.getByLabel("Token"))
        .isVisible(
            new com.microsoft.playwright.assertions.LocatorAssertions.IsVisibleOptions()
                .setTimeout(30_000));

    assertThat(page.url()).isEqualTo(ORIGIN + "/ui/queue?state=waiting");
    page.getByLabel("Token").fill(ADMIN_TOKEN);
    page.getByRole(AriaRole.BUTTON, named("Sign in")).click();
    assertThat(page.locator(".bar nav [aria-current=page]")).hasText(Pattern.compile("Queue.*"));
  }

  @Test
  void viewerSeesAllAndChangesNothing(Tab tab) {
    tab.expects("status of 403");
    Page page = tab.go(ORIGIN, link("viewer")).page();
    assertThat(page.locator(".user")).containsText("(viewer)");

    assertThat(inPage(page, "GET", "/workspaces")).isEqualTo(200);
    assertThat(inPage(page, "GET", "/workspaces/" + AGENT.id() + "/activity")).isEqualTo(200);
    assertThat(inPage(page, "POST", "/workspaces/" + AGENT.id() + "/pause")).isEqualTo(403);
    assertThat(inPage(page, "GET", "/admin/tokens")).isEqualTo(403);
    page.navigate(ORIGIN + "/ui/welcome");
    assertThat(page.locator(".welcome")).containsText("signed in to read");
  }

  private static int inPage(Page page, String method, String path) {
    return (int)
        page.evaluate(
            """
            async ([method, path]) => {
              const headers = { 'X-Muster-Page': localStorage.getItem('muster-page') };
              return (await fetch(path, { method, headers })).status;
            }
            """,
            List.of(method, path));
  }

  @Test
  void unknownPageSaysWhichExist(Tab tab) {
    Page page = signIn(tab, "/ui/no-such-page", ADMIN_TOKEN);

    assertThat(page.locator("#page h1")).hasText("No such page");
    for (Locator target : page.locator("#page li a").all()) {
      assertThat(target.getAttribute("href")).matches("/|/ui/.*");
    }
    page.locator("#page li a", new Page.LocatorOptions().setHasText("Delegations")).click();
    assertThat(page).hasURL(ORIGIN + "/ui/delegations");
  }

  /** A page of another port of the same host gets the cookie; one of another site does not. */
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost"})
  void foreignOriginCannotUseTheCookie(String host, Tab tab) throws Exception {
    Page page = signIn(tab, "/ui/welcome", ADMIN_TOKEN);
    tab.expects(".");
    List<String> received = new CopyOnWriteArrayList<>();
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext(
        "/",
        exchange -> {
          received.add(String.valueOf(exchange.getRequestHeaders().getFirst("Cookie")));
          byte[] body = "<!doctype html><title>Other</title>".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    other.start();
    try {
      int before = CLIENT.get("/workspaces", ADMIN_TOKEN).json().size();
      page.navigate("http://" + host + ":" + other.getAddress().getPort() + "/");
      Object outcome =
          page.evaluate(
              """
              async (target) => {
                const body = JSON.stringify({ name: 'Forged' });
                const tries = [
                  fetch(target + '/workspaces', { method: 'POST', body, credentials: 'include', mode: 'no-cors' }),
                  fetch(target + '/workspaces', { credentials: 'include' }).then((r) => r.text()).then(() => 'READ'),
                  new Promise((done) => {
                    const socket = new WebSocket(target.replace('http', 'ws') + '/ws', ['muster-ws', 'muster-page.x']);
                    socket.onopen = () => done('OPEN');
                    socket.onerror = () => done('refused');
                  }),
                ];
                const form = document.createElement('form');
                form.method = 'POST';
                form.enctype = 'text/plain';
                form.action = target + '/workspaces';
                form.target = 'frame';
                const field = document.createElement('input');
                field.name = '{"name":"Forged","x":"';
                field.value = '"}';
                const frame = document.createElement('iframe');
                frame.name = 'frame';
                document.body.append(frame, form);
                form.append(field);
                const sent = new Promise((done) => { frame.onload = done; });
                form.submit();
                await sent;
                return (await Promise.allSettled(tries)).map((one) => String(one.value ?? one.reason));
              }
              """,
              ORIGIN);

      assertThat(String.valueOf(outcome)).doesNotContain("READ").doesNotContain("OPEN");
      assertThat(CLIENT.get("/workspaces", ADMIN_TOKEN).json().size()).isEqualTo(before);
      for (String cookie : received) {
        if (cookie.startsWith("muster-")) {
          assertThat(CLIENT.get("/workspaces", null, "Cookie", cookie).status()).isEqualTo(401);
        }
      }
      assertThat(received.stream().anyMatch(cookie -> cookie.startsWith("muster-")))
          .isEqualTo(host.equals("127.0.0.1"));
    } finally {
      other.stop(0);
    }
  }

  @Test
  void loadsWithTheNetworkCut(Tab tab) {
    tab.page()
        .context()
        .route(
            url -> !url.startsWith(ORIGIN) && !url.startsWith("data:"),
            com.microsoft.playwright.Route::abort);

    Page page = signIn(tab, "/ui/welcome", ADMIN_TOKEN);

    assertThat(page.locator(".welcome h1")).isVisible();
    page.navigate(ORIGIN + "/");
    assertThat(page.locator(".fleet-space")).containsText("Reviewer");
  }

  @Test
  void otherTabsFollowSigningInAndOut(Tab tab) {
    tab.expects("status of 401|HTTP Authentication failed"); // a stream that connects meanwhile
    Page one = signIn(tab, "/ui/welcome", ADMIN_TOKEN);
    Page two = one.context().newPage();
    two.navigate(ORIGIN + "/ui/welcome");
    assertThat(two.locator(".user")).isVisible();

    one.locator(".user > button").click();
    one.getByRole(AriaRole.BUTTON, named("Sign out")).click();

    assertThat(two.getByLabel("Token")).isVisible();
    two.waitForURL(ORIGIN + "/ui/welcome");

    one.getByLabel("Token").fill(ADMIN_TOKEN);
    one.getByRole(AriaRole.BUTTON, named("Sign in")).click();

    assertThat(two.locator(".user")).isVisible();
    assertThat(two.locator(".welcome h1")).isVisible();
  }
}
