package dev.muster.console;

import com.microsoft.playwright.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A page without a server: the console's modules under {@code /src/}, those of the tests under
 * {@code /test/}, the library's under {@code /lib/}, the tests' resources under {@code /cases/}.
 * Its policy is the console's.
 */
final class UnitPage {

  /** Nothing listens there: each request is answered by {@link #answer}. */
  static final String ORIGIN = "http://127.0.0.1:9";

  private static final Map<String, Path> FOLDERS =
      Map.of(
          "src", Path.of("src/main/console"),
          "test", Path.of("src/test/console"),
          "cases", Path.of("src/test/resources/console"));

  /** Names of the import map, and the files that the build unpacks beside the console. */
  private static final Map<String, String> LIBRARY =
      new TreeMap<>(
          Map.of(
              "lit-html", "lit-html/lit-html.js",
              "lit-html/directive.js", "lit-html/directive.js",
              "lit-html/directive-helpers.js", "lit-html/directive-helpers.js",
              "lit-html/directives/repeat.js", "lit-html/directives/repeat.js",
              "@lit/reactive-element", "reactive-element/reactive-element.js",
              "@lit/reactive-element/css-tag.js", "reactive-element/css-tag.js",
              "lit-element", "lit-element/lit-element.js",
              "lit-element/lit-element.js", "lit-element/lit-element.js"));

  private static final Map<String, String> TYPES =
      Map.of(
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "json", "application/json");

  private static final String IMPORT_MAP =
      LIBRARY.entrySet().stream()
          .map(e -> "\"%s\":\"/lib/%s\"".formatted(e.getKey(), e.getValue()))
          .collect(Collectors.joining(",", "{\"imports\":{", "}}"));

  private static final String PAGE =
      """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>Unit tests</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="/src/styles/all.css">
      <script type="importmap">%s</script><body></body></html>
      """
          .formatted(IMPORT_MAP);

  private UnitPage() {}

  static void open(Tab tab) {
    tab.page().unroute("**/*");
    tab.page().route("**/*", UnitPage::answer);
    tab.go(ORIGIN, "/");
  }

  private static void answer(Route route) {
    String path = route.request().url().substring(ORIGIN.length()).replaceFirst("[?#].*", "");
    if (path.equals("/")) {
      route.fulfill(
          new Route.FulfillOptions()
              .setStatus(200)
              .setContentType("text/html; charset=utf-8")
              .setHeaders(Map.of("Content-Type", "text/html", "Content-Security-Policy", policy()))
              .setBody(PAGE));
      return;
    }
    Optional<byte[]> content = content(path.substring(1));
    if (content.isEmpty() && path.endsWith(".css")) {
      content = Optional.of(new byte[0]); // a stylesheet that is not there changes no unit
    }
    if (content.isEmpty()) {
      route.fulfill(new Route.FulfillOptions().setStatus(404).setBody("no file " + path));
      return;
    }
    route.fulfill(
        new Route.FulfillOptions()
            .setStatus(200)
            .setContentType(
                TYPES.getOrDefault(
                    path.substring(path.lastIndexOf('.') + 1), "application/octet-stream"))
            .setBodyBytes(content.get()));
  }

  private static Optional<byte[]> content(String path) {
    int slash = path.indexOf('/');
    String folder = slash < 0 ? path : path.substring(0, slash);
    String rest = path.substring(slash + 1);
    try {
      if (folder.equals("lib")) {
        return library(rest);
      }
      Path file = FOLDERS.getOrDefault(folder, Path.of("none")).resolve(rest);
      return Files.isRegularFile(file) ? Optional.of(Files.readAllBytes(file)) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<byte[]> library(String path) throws IOException {
    try (InputStream in =
        UnitPage.class.getClassLoader().getResourceAsStream("console/lib/" + path)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    }
  }

  private static String policy() {
    return ("default-src 'none'; script-src 'self' 'sha256-%s'; style-src 'self'; img-src 'self'"
            + " data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
            + " require-trusted-types-for 'script'; trusted-types lit-html")
        .formatted(hash(IMPORT_MAP));
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
