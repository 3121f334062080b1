package dev.muster.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.muster.platform.http.DescribedAnswers;
import dev.muster.testing.SharedResources;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * A page of a server that has nothing but files: the console's modules under {@code /src/}, those
 * of the tests under {@code /test/}, the library's under {@code /lib/}, the tests' resources under
 * {@code /cases/}, the described answers as {@code /answers.json}. Its policy is the console's. The
 * browser keeps the files, and what it has compiled of them, until this JVM ends.
 */
final class UnitPage {

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

  /** The one server of this JVM. */
  private static final class Running {

    static final String ORIGIN = start();

    private static String start() {
      try {
        HttpServer server =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", UnitPage::answer);
        server.start();
        SharedResources.run(() -> server.stop(0));
        return "http://127.0.0.1:" + server.getAddress().getPort();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private UnitPage() {}

  static void open(Tab tab) {
    tab.go(Running.ORIGIN, "/");
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    if (path.equals("/")) {
      exchange.getResponseHeaders().set("Content-Security-Policy", policy());
      send(exchange, 200, "text/html; charset=utf-8", PAGE.getBytes(StandardCharsets.UTF_8));
      return;
    }
    Optional<byte[]> content = content(path.substring(1));
    if (content.isEmpty() && path.endsWith(".css")) {
      content = Optional.of(new byte[0]); // a stylesheet that is not there changes no unit
    }
    if (content.isEmpty()) {
      byte[] said = ("no file " + path).getBytes(StandardCharsets.UTF_8);
      send(exchange, 404, "text/plain; charset=utf-8", said);
      return;
    }
    exchange.getResponseHeaders().set("Cache-Control", "max-age=31536000, immutable");
    String ending = path.substring(path.lastIndexOf('.') + 1);
    send(exchange, 200, TYPES.getOrDefault(ending, "application/octet-stream"), content.get());
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private static Optional<byte[]> content(String path) {
    int slash = path.indexOf('/');
    String folder = slash < 0 ? path : path.substring(0, slash);
    String rest = path.substring(slash + 1);
    try {
      if (path.equals("answers.json")) {
        return Optional.of(DescribedAnswers.json());
      }
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
