package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the console's sources never contain, so that the text of agents stays text, and how wide
 * they are.
 */
class ConsoleSourcesTest {

  static final Path SOURCES = Path.of("src/main/console");

  private static final int MAX_WIDTH = 120;

  /** What each forbidden form would do → how it is written. */
  private static final Map<String, Pattern> FORBIDDEN = new LinkedHashMap<>();

  static {
    forbid(
        "make elements of text",
        "(inner|outer|insertAdjacent|unsafe)HTML|setHTML|unsafe(SVG|MathML|Static)|srcdoc"
            + "|createContextualFragment|parseFromString|document\\.write|trustedTypes");
    forbid("run text", "\\beval\\b|\\bFunction\\(|set(Timeout|Interval)\\(['\"`]|javascript:");
    forbid("write a style as text", "styleMap|cssText|[\\s'\"`]style=|['\"]style['\"]");
    forbid("write a handler as text", "[\\s'\"`]on[a-z]+=[\"'$]|setAttribute\\(['\"]on");
    forbid("name another origin", "\\b(https?|wss?)://|['\"`(]//\\w|@import url");
    forbid(
        "import from elsewhere",
        "(?<!@)\\b(from|import)\\s*\\(?\\s*['\"](?!\\.\\.?/|@?lit)[\\w@/]");
    forbid("hide characters", "[\\p{Cntrl}\\p{Cf}&&[^\\n]]");
  }

  private static final Pattern IMPORT = Pattern.compile("\\b(?:from|import)\\s*'(\\.{1,2}/[^']+)'");

  /** The name of a language, which is never fetched. */
  private static final String SVG = "http://www.w3.org/2000/svg";

  private static void forbid(String what, String pattern) {
    FORBIDDEN.put(what, Pattern.compile(pattern));
  }

  @Test
  void containNothingThatTurnsTextIntoCodeOrLeavesTheOrigin() throws IOException {
    Map<Path, String> sources = sources(".*\\.(js|css|html|svg)");
    assertThat(sources).isNotEmpty();
    sources.forEach((file, text) -> assertThat(forbidden(text)).as("%s", file).isEmpty());
  }

  /** So {@code $ADMIN} means one thing; the first agent has a token of its own. */
  @Test
  void oneModuleWritesTheCommandsOfCurl() throws IOException {
    assertThat(
            sources(".*\\.js").entrySet().stream()
                .filter(source -> source.getValue().matches("(?s).*(\\bcurl |'curl').*"))
                .map(source -> SOURCES.relativize(source.getKey()).toString()))
        .containsExactlyInAnyOrder("text/curl.js", "text/first-agent.js");
  }

  @Test
  void linesFitOnAScreen() throws IOException {
    sources(".*\\.js")
        .forEach((file, text) -> {
          assertThat(text.lines())
              .as("widths of %s", file)
              .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(MAX_WIDTH));
        });
  }

  /**
   * Each module is then run after all that it imports, whichever is imported first. {@link
   * UnitsInPageTest} imports them all.
   */
  @Test
  void modulesImportEachOtherInNoCircle() throws IOException {
    Map<Path, List<Path>> imports = new TreeMap<>();
    sources(".*\\.js")
        .forEach((file, text) ->
            imports.put(
                file,
                IMPORT
                    .matcher(text)
                    .results()
                    .map(found -> file.resolveSibling(found.group(1)).normalize())
                    .toList()));
    assertThat(imports.keySet())
        .containsAll(imports.values().stream().flatMap(List::stream).toList());
    imports
        .keySet()
        .forEach(file -> assertThat(reached(file, imports)).as("%s", file).doesNotContain(file));
  }

  private static Set<Path> reached(Path from, Map<Path, List<Path>> imports) {
    Set<Path> reached = new HashSet<>();
    Deque<Path> next = new ArrayDeque<>(imports.getOrDefault(from, List.of()));
    while (!next.isEmpty()) {
      Path file = next.pop();
      if (reached.add(file)) {
        next.addAll(imports.getOrDefault(file, List.of()));
      }
    }
    return reached;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          make elements of text   | root.innerHTML = name
          make elements of text   | import { unsafeHTML } from 'lit-html/directives/unsafe-html.js';
          make elements of text   | row.insertAdjacentHTML('beforeend', name)
          run text                | eval(name)
          run text                | new Function(name)
          run text                | setTimeout('go()', 5)
          run text                | html`<a href="javascript:go()">go</a>`
          write a style as text   | html`<p style="color: ${name}"></p>`
          write a style as text   | html`<p style=${styleMap(name)}></p>`
          write a style as text   | row.setAttribute('style', name)
          write a handler as text | html`<p onclick="go()"></p>`
          write a handler as text | row.setAttribute('onclick', name)
          name another origin     | fetch('https://example.com')
          name another origin     | new WebSocket('wss://example.com')
          name another origin     | html`<img src="//example.com/a.png">`
          import from elsewhere   | import x from 'https://example.com/x.js';
          import from elsewhere   | import x from 'left-pad';
          import from elsewhere   | await import('left-pad')
          hide characters         | const level = 'user\u202E'
          """)
  void eachFormIsFound(String what, String line) {
    assertThat(forbidden(line)).contains(what + ": " + line);
  }

  /** What looks alike and is allowed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          bar.style.width = `${share}%`
          html`<button @click=${open}>Open</button>`
          live.onChange(() => draw()); socket.onopen = () => done()
          const KINDS = ['other', 'online'];
          import { html } from 'lit-html'; import { row } from './row.js'; import('../net/api.js')
          document.createElementNS('http://www.w3.org/2000/svg', 'svg')
          /^https?:/.test(url)
          """)
  void whatLooksAlikeIsAllowed(String line) {
    assertThat(forbidden(line)).isEmpty();
  }

  private static List<String> forbidden(String text) {
    return text.replace(SVG, "")
        .lines()
        .flatMap(line ->
            FORBIDDEN.entrySet().stream()
                .filter(form -> form.getValue().matcher(line).find())
                .map(form -> form.getKey() + ": " + line.strip()))
        .toList();
  }

  private static Map<Path, String> sources(String pattern) throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files
          .filter(file -> file.toString().matches(pattern))
          .collect(
              Collectors.toMap(file -> file, ConsoleSourcesTest::read, (a, _) -> a, TreeMap::new));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
