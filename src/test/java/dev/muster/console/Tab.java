package dev.muster.console;

import com.google.gson.JsonObject;
import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.TimeoutError;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Contrast;
import com.microsoft.playwright.options.ForcedColors;
import com.microsoft.playwright.options.Media;
import com.microsoft.playwright.options.ReducedMotion;
import com.microsoft.playwright.options.RequestOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/** A tab of the browser, with cookies and storage of its own, that remembers what went wrong. */
public final class Tab implements AutoCloseable {

  /** How the page is to look. */
  public enum Look {
    LIGHT,
    DARK,
    /** The page is asked for more contrast, and chooses the colours. */
    MORE_CONTRAST,
    /** The system's colours replace those of the page. */
    HIGH_CONTRAST
  }

  /** Reports of the Content Security Policy, which no listener of Playwright tells. */
  private static final String REPORTS =
      """
      addEventListener('securitypolicyviolation', e =>
        musterFault(`CSP: ${e.effectiveDirective} forbids ${e.blockedURI} ${e.sample}`));
      """;

  private static final String NOWHERE = "about:blank";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final BrowserContext context;
  private final Set<String> origins = new LinkedHashSet<>();
  private final List<String> faults = new ArrayList<>();

  private final List<Pattern> expected = new ArrayList<>();
  private Page page;
  private String origin = "";

  private Tab(BrowserContext context) {
    this.context = context;
    context.exposeFunction("musterFault", args -> faults.add(String.valueOf(args[0])));
    context.addInitScript(REPORTS);
    context.onRequest(this::sent);
    context.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        fault("console: " + message.text() + " at " + message.location());
      }
    });
    // Errors and rejections that nothing caught.
    context.onWebError(error -> fault("uncaught: " + error.error()));
    this.page = newPage();
  }

  private Page newPage() {
    Page made = context.newPage();
    made.setDefaultTimeout(ChromiumProcess.LIMIT_MS);
    made.onWebSocket(socket -> reached(socket.url().replaceFirst("^ws", "http")));
    return made;
  }

  static Tab open() {
    return new Tab(
        ChromiumProcess.browser()
            .newContext(
                new Browser.NewContextOptions()
                    .setViewportSize(1400, 900)
                    .setLocale("en-GB")
                    .setTimezoneId("Asia/Kathmandu")
                    .setReducedMotion(ReducedMotion.REDUCE)));
  }

  public Page page() {
    return page;
  }

  /**
   * Gives the next test a new page without cookies and storage. What the browser has in its cache
   * stays: the console's modules are not loaded and compiled anew for each test.
   */
  void renew() {
    page = newPage();
    context.pages().stream().filter(one -> !one.equals(page)).forEach(Page::close);
    context.clearCookies();
    context.clearPermissions();
    CDPSession session = context.newCDPSession(page);
    for (String visited : origins) {
      JsonObject what = new JsonObject();
      what.addProperty("origin", visited);
      what.addProperty("storageTypes", "local_storage,indexeddb,cache_storage,service_workers");
      session.send("Storage.clearDataForOrigin", what);
    }
    session.detach();
    origins.clear();
    origin = "";
    expected.clear();
    faults.clear();
  }

  /** Opens {@code path} of a server; from then on a request to any other origin is a fault. */
  public Tab go(String origin, String path) {
    this.origin = origin;
    origins.add(origin);
    page.navigate(origin + path);
    return this;
  }

  /**
   * Signs in with a token by HTTP, gives this tab the session's cookie and page key, and opens
   * {@code path}. {@link SignInFlowsTest} signs in by the page.
   *
   * @param origin of a server, such as {@code http://127.0.0.1:8080}
   */
  public Tab signIn(String origin, String token, String path) {
    leave(); // a page of an earlier session would go on asking, and be refused
    APIResponse made =
        context
            .request() // which shares its cookies with the pages
            .post(
                origin + "/console/session",
                RequestOptions.create().setData(Map.of("token", token, "name", "night shift")));
    String answer = made.text();
    if (made.status() != 201) {
      throw new AssertionError("no session: " + made.status() + " " + answer);
    }
    String key = JSON.readTree(answer).path("page_key").asString();
    CDPSession session = context.newCDPSession(page);
    session.send("Page.enable");
    JsonObject keeps = new JsonObject();
    keeps.addProperty(
        "source",
        """
        if (location.origin === '%s') {
          localStorage.setItem('muster-page', '%s');
        }
        """
            .formatted(origin, key));
    session.send("Page.addScriptToEvaluateOnNewDocument", keeps);
    go(origin, path);
    session.detach(); // which takes the script away
    return this;
  }

  /** Signs in and opens {@code path}; waits until the page is shown and follows the events. */
  public Page openLive(String origin, String token, String path) {
    Page opened = signIn(origin, token, path).page();
    PlaywrightAssertions.assertThat(opened.locator("#page h1").first()).isAttached();
    PlaywrightAssertions.assertThat(opened.locator("#connection")).containsText("Live");
    return opened;
  }

  /** Leaves the page, so that it does not miss a server that a test closes. */
  public void leave() {
    if (!page.url().equals(NOWHERE)) {
      page.navigate(NOWHERE);
    }
  }

  /** Faults that match are no failure: what a test provokes. */
  public Tab expects(String pattern) {
    expected.add(Pattern.compile(pattern, Pattern.DOTALL));
    return this;
  }

  public Tab looks(Look look) {
    page.emulateMedia(
        new Page.EmulateMediaOptions()
            .setMedia(Media.SCREEN)
            .setColorScheme(look == Look.DARK ? ColorScheme.DARK : ColorScheme.LIGHT)
            .setContrast(look == Look.MORE_CONTRAST ? Contrast.MORE : Contrast.NO_PREFERENCE)
            .setForcedColors(look == Look.HIGH_CONTRAST ? ForcedColors.ACTIVE : ForcedColors.NONE));
    return this;
  }

  /**
   * Goes to the page of a key by {@code g} and the key. A slow machine may take longer between the
   * two than the page waits for the second, so they are pressed again.
   */
  public void goByKeys(String key, String url) {
    for (int tries = 1; !page.url().equals(url); tries++) {
      page.keyboard().press("g");
      page.keyboard().press(key);
      try {
        page.waitForURL(url, new Page.WaitForURLOptions().setTimeout(5_000));
      } catch (TimeoutError late) {
        if (tries == 5) {
          throw late;
        }
      }
    }
  }

  /**
   * What no page may do: write an error to the console, break the Content Security Policy, leave an
   * error or a rejected promise uncaught, or ask another origin for something.
   */
  public List<String> faults() {
    try {
      page.evaluate("() => 0"); // what is on its way arrives before the answer
    } catch (PlaywrightException e) {
      page.waitForLoadState(); // the page was being left
    }
    return faults.stream()
        .filter(fault -> expected.stream().noneMatch(pattern -> pattern.matcher(fault).find()))
        .toList();
  }

  void assertNoFaults() {
    List<String> found = faults();
    if (!found.isEmpty()) {
      throw new AssertionError("The page did what no page may do:\n" + String.join("\n", found));
    }
  }

  void forgetFaults() {
    faults.clear();
  }

  /** A picture of a failed test: {@code target/browser/<class>.<test>.png}. */
  void keepPicture(Class<?> test, String name) {
    Path file =
        Path.of(
            "target/browser",
            test.getSimpleName() + "." + name.replaceAll("[^A-Za-z0-9]+", "_") + ".png");
    try {
      page.screenshot(new Page.ScreenshotOptions().setPath(file));
    } catch (PlaywrightException e) {
      System.err.println("No picture of " + file + ": " + e.getMessage());
    }
  }

  @Override
  public void close() {
    context.close();
  }

  private void fault(String what) {
    faults.add(what);
  }

  private void sent(Request request) {
    reached(request.url());
  }

  private void reached(String url) {
    URI uri = URI.create(url.replaceFirst("[?#].*", ""));
    String scheme = String.valueOf(uri.getScheme());
    if (origin.isEmpty() || !scheme.startsWith("http")) {
      return;
    }
    if (!(scheme + "://" + uri.getRawAuthority()).equals(origin)) {
      fault("another origin: " + url);
    }
  }
}
