package dev.muster.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.muster.testing.SharedResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The one browser of this JVM: the machine's own, started by the first test that needs it. */
final class ChromiumProcess {

  /** The path of a browser. Where it is given, tests that need one are never skipped. */
  static final String PROPERTY = "test.chromium";

  /**
   * How long a test waits for a page, in ms: a busy machine takes seconds for what else takes none.
   */
  static final double LIMIT_MS = 20_000;

  /** What the browser does without: all that Playwright names, whose list this one replaces. */
  private static final List<String> WITHOUT =
      List.of(
          "AcceptCHFrame",
          "AutoDeElevate",
          "AvoidUnnecessaryBeforeUnloadCheckSync",
          "DestroyProfileOnBrowserClose",
          "DialMediaRouteProvider",
          "GlobalMediaControls",
          "HttpsUpgrades",
          "LensOverlay",
          "MediaRouter",
          "PaintHolding",
          "RenderDocument",
          "ThirdPartyStoragePartitioning",
          "Translate",
          // A process for the next page is started when there is one.
          "SpareRendererForSitePerProcess");

  private static final List<String> NAMES =
      List.of(
          "chromium-headless-shell",
          "chromium",
          "chromium-browser",
          "google-chrome",
          "google-chrome-stable",
          "chrome");

  private static final List<String> FOLDERS =
      List.of(
          "/usr/bin",
          "/usr/local/bin",
          "/snap/bin",
          "/Applications/Google Chrome.app/Contents/MacOS",
          "/Applications/Chromium.app/Contents/MacOS");

  private static final class Running {

    static final Browser BROWSER = start();

    private static Browser start() {
      PlaywrightAssertions.setDefaultAssertionTimeout(LIMIT_MS);
      Path program =
          program()
              .orElseThrow(
                  () -> new IllegalStateException("no browser, and its tests not skipped"));
      Playwright playwright =
          Playwright.create(
              new Playwright.CreateOptions()
                  .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
      SharedResources.run(playwright::close);
      return playwright
          .chromium()
          .launch(
              new BrowserType.LaunchOptions()
                  .setExecutablePath(program)
                  .setHeadless(true)
                  .setArgs(
                      List.of(
                          // Root has no sandbox; what the tests open is the project's own.
                          "--no-sandbox",
                          // No page of a test reaches anything but this machine.
                          "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE"
                              + " localhost",
                          // The test of the pace measures the heap.
                          "--js-flags=--expose-gc",
                          "--enable-precise-memory-info",
                          "--force-color-profile=srgb",
                          "--disable-lcd-text",
                          // A process less to start, and to send each picture to.
                          "--in-process-gpu",
                          "--disable-features=" + String.join(",", WITHOUT))));
    }
  }

  private ChromiumProcess() {}

  static Browser browser() {
    return Running.BROWSER;
  }

  /**
   * The browser to start, empty where the machine has none.
   *
   * @throws IllegalStateException when {@link #PROPERTY} names a file that is no program
   */
  static Optional<Path> program() {
    String given = System.getProperty(PROPERTY, "");
    if (!given.isEmpty()) {
      Path path = Path.of(given);
      if (!Files.isExecutable(path)) {
        throw new IllegalStateException(
            "-D%s=%s is no program (expected: the path of a Chromium or Chrome)"
                .formatted(PROPERTY, given));
      }
      return Optional.of(path);
    }
    return FOLDERS.stream()
        .flatMap(folder -> names().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Stream<String> names() {
    return Stream.concat(NAMES.stream(), Stream.of("Google Chrome", "Chromium"));
  }
}
