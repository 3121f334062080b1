package dev.muster.console.assets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console's page and files as a browser gets them. */
class ConsoleAssetsTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final Answer PAGE = CLIENT.get("/", null);
  private static final JsonNode IMPORT_MAP =
      JsonMapper.shared().readTree(found("<script type=\"importmap\">(.*?)</script>"));
  private static final String PREFIX = found("href=\"(/assets/[0-9a-f]{20}/)icon.svg\"");

  private static String withoutPreloads(Answer page) {
    return page.text().replaceAll(" *<link rel=\"modulepreload\"[^>]*>\n", "");
  }

  private static String found(String pattern) {
    Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(PAGE.text());
    assertThat(matcher.find()).as(PAGE.text()).isTrue();
    return matcher.group(1);
  }

  @ParameterizedTest
  @CsvSource({
    "/ui, true",
    "/ui/, true",
    "/ui/fleet?q=x, true",
    "/ui/w/6f0e/deeper, false",
    "/ui/fleet/deeper, false",
    "/ui/no-such-page, false"
  })
  void answersEveryUrlOfTheConsoleWithTheOnePage(String url, boolean isFleet) {
    Answer page = CLIENT.get(url, null);

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text().contains("/pages/fleet.js")).isEqualTo(isFleet);
    assertThat(withoutPreloads(page)).isEqualTo(withoutPreloads(PAGE));
    assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
    assertThat(page.header("Cache-Control")).isEqualTo("no-store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/uix",
        "/index.html",
        "/app.js",
        "/console",
        "/console/app.js",
        "/assets",
        "/assets/app.js",
        "/webjars/lit-html/3.3.1/lit-html.js"
      })
  void knowsNoOtherPath(String path) {
    Answer answer = CLIENT.get(path, null);

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.field("code")).isEqualTo("NOT_FOUND");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "index.html",
        "nothing.js",
        "lib/lit-html/LICENSE",
        "lib/lit-html/directives/unsafe-html.js",
        "..%2Fapplication.yaml",
        "../application.yaml",
        ""
      })
  void servesNoOtherFile(String path) {
    assertThat(CLIENT.get(PREFIX + path, null).status()).isIn(400, 404);
  }

  @Test
  void knowsFilesOfItsOwnVersionOnly() {
    Answer old = CLIENT.get("/assets/00000000000000000000/app.js", null);

    assertThat(old.status()).isEqualTo(404);
    assertThat(old.field("detail")).contains("load its page again");
    assertThat(old.headers().firstValue("Cache-Control").orElse("")).doesNotContain("immutable");
  }

  @ParameterizedTest
  @CsvSource({
    "app.js, text/javascript;charset=utf-8",
    "styles/base.css, text/css;charset=utf-8",
    "icons.svg, image/svg+xml",
    "lib/lit-html/directives/repeat.js, text/javascript;charset=utf-8"
  })
  void letsABrowserKeepEachFileForAYear(String path, String type) {
    Answer file = CLIENT.get(PREFIX + path, null);

    assertThat(file.status()).isEqualTo(200);
    assertThat(file.header("Content-Type")).isEqualTo(type);
    assertThat(file.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
    assertThat(file.header("X-Content-Type-Options")).isEqualTo("nosniff");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip | true",
        "br, gzip;q=0.5 | true",
        "GZIP | true",
        "gzip;q=0 | false",
        "gzip;q=0.000 | false",
        "x-gzipped | false",
        "identity | false",
        "'' | false"
      })
  void compressesForThoseWhoAcceptIt(String accepted, boolean isCompressed)
      throws IOException, InterruptedException {
    byte[] plain = CLIENT.get(PREFIX + "app.js", null).text().getBytes(UTF_8);
    HttpResponse<byte[]> file =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(CLIENT.baseUrl() + PREFIX + "app.js"))
                    .header("Accept-Encoding", accepted)
                    .build(),
                HttpResponse.BodyHandlers.ofByteArray());

    assertThat(file.headers().firstValue("Vary")).contains("Accept-Encoding");
    assertThat(file.headers().firstValue("Content-Encoding").isPresent()).isEqualTo(isCompressed);
    byte[] body =
        isCompressed
            ? new GZIPInputStream(new ByteArrayInputStream(file.body())).readAllBytes()
            : file.body();
    assertThat(body).isEqualTo(plain);
  }

  @Test
  void allowsNoScriptBesideItsFilesAndTheImportMap() throws Exception {
    byte[] map = found("<script type=\"importmap\">(.*?)</script>").getBytes(UTF_8);
    String hash =
        Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(map));

    assertThat(PAGE.headers().allValues("Content-Security-Policy"))
        .containsExactly(
            "default-src 'none'; script-src 'self' 'sha256-"
                + hash
                + "'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action"
                + " 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for"
                + " 'script'; trusted-types lit-html");
  }

  @ParameterizedTest
  @CsvSource({
    "/workspaces, default-src 'none'",
    "/health, default-src 'none'",
    "/no-such-path, default-src 'none'",
    "/v3/api-docs, default-src 'none'",
    "/swagger-ui/index.html, default-src 'self'; img-src 'self' data:"
  })
  void leavesOtherAnswersTheirOwnPolicy(String path, String start) {
    assertThat(CLIENT.get(path, null).headers().allValues("Content-Security-Policy"))
        .singleElement()
        .asString()
        .startsWith(start)
        .contains("frame-ancestors 'none'");
  }

  @Test
  void mapsTheSevenModulesOfTheLibrary() {
    assertThat(IMPORT_MAP.path("imports").properties()).hasSize(7);
    for (Map.Entry<String, JsonNode> one : IMPORT_MAP.path("imports").properties()) {
      assertThat(CLIENT.get(one.getValue().asString(), null).status())
          .as(one.getKey())
          .isEqualTo(200);
    }
  }

  @Test
  void preloadsWhatThePageImports() {
    List<String> preloads =
        Pattern.compile("modulepreload\" href=\"([^\"]+)\"")
            .matcher(PAGE.text())
            .results()
            .map(match -> match.group(1))
            .toList();

    assertThat(preloads)
        .doesNotHaveDuplicates()
        .contains(PREFIX + "app.js", PREFIX + "net/api.js", PREFIX + "lib/lit-html/lit-html.js")
        .doesNotContain(PREFIX + "pages/signin.js")
        .allSatisfy(url -> assertThat(CLIENT.get(url, null).status()).isEqualTo(200));
  }

  @Test
  void sendsAllStyleSheetsAsOne() throws IOException {
    String all = CLIENT.get(PREFIX + "styles/all.css", null).text();

    assertThat(all).doesNotContain("@import");
    try (Stream<Path> sheets = Files.list(Path.of("src/main/console/styles"))) {
      assertThat(sheets.filter(sheet -> !sheet.endsWith("all.css")))
          .isNotEmpty()
          .allSatisfy(sheet -> assertThat(all).contains(Files.readString(sheet)));
    }
  }

  @Test
  void findsImportsInEveryForm() {
    Map<String, byte[]> sources =
        Map.of(
            "a.js",
            ("import './b.js';\nimport {\n  x,\n} from './sub/c.js';\nexport * from\"./d.js\";\n"
                    + "const later = () => import('./e.js');\n/** @type {import('./f.js').T} */")
                .getBytes(UTF_8),
            "b.js",
            new byte[0],
            "sub/c.js",
            "import * as d from '../d.js'; import z from 'lit-html'".getBytes(UTF_8),
            "d.js",
            new byte[0],
            "e.js",
            new byte[0],
            "f.js",
            new byte[0],
            "lib/lit-html/lit-html.js",
            new byte[0]);

    assertThat(new ModuleGraph(sources, "/").preloads("a.js").lines().map(String::strip))
        .containsExactly(
            "<link rel=\"modulepreload\" href=\"/a.js\">",
            "<link rel=\"modulepreload\" href=\"/b.js\">",
            "<link rel=\"modulepreload\" href=\"/sub/c.js\">",
            "<link rel=\"modulepreload\" href=\"/d.js\">",
            "<link rel=\"modulepreload\" href=\"/lib/lit-html/lit-html.js\">");
  }
}
