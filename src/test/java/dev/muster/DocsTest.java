package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.ObjectMapper;

/**
 * Checks the documentation pages: links resolve, Java blocks compile, shell blocks parse. {@code
 * src/build/docs-story} runs most blocks; a block that it does not run says why.
 */
class DocsTest {

  private static final Path API = Path.of("docs/api.md");
  private static final Path README = Path.of("README.md");
  private static final int MAX_LINES_OF_README = 150;

  private static final Path TRACEABILITY = Path.of("docs", "traceability.md");

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /**
   * A test class, optionally with its package and a test method, or a method of the class before.
   */
  private static final Pattern PROOF =
      Pattern.compile(
          "(?:(?:agent\\.)?(\\w+(?:Test|Bench)))?(?:\\.?([a-z]+[A-Z]\\w+)(?:…|\\.\\.\\.)?)?");

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");

  /** Sections of the contract, not of a standard. */
  private static final Pattern SECTION =
      Pattern.compile(
          "(?<!RFC \\d{4}, )(?<!2\\.0, )(?<!standard, )\\bsections? (\\d+)(?![.\\d])(?: and"
              + " (\\d+))?");

  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\"");

  @TempDir Path folder;

  @ParameterizedTest
  @MethodSource("java")
  void compiles(String snippet) {
    String source =
        """
        import dev.muster.agent.*;
        import java.nio.file.Path;
        class Snippet {
          void run(String workspaceId) throws Exception {
            %s
          }
        }
        """
            .formatted(snippet);
    var file =
        new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignored) {
            return source;
          }
        };
    StringWriter said = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", folder.toString());
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(said, null, null, options, null, List.of(file))
            .call();
    assertThat(compiled).as("%s%n%s", source, said).isTrue();
  }

  @ParameterizedTest
  @MethodSource("shell")
  void parsesInAShell(String snippet) throws Exception {
    Path script = Files.writeString(folder.resolve("snippet"), snippet);
    Process bash =
        new ProcessBuilder("bash", "-n", script.toString()).redirectErrorStream(true).start();
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as("%s%n%s", snippet, said).isZero();
  }

  /** A block that is never run could stop to work unnoticed. */
  @Test
  void isRunByTheStoryOrSaysWhyNot() throws Exception {
    List<String> marks = new ArrayList<>();
    for (Path page : pages()) {
      Matcher block =
          Pattern.compile("^(.*)\n```(sh|js)\n(.*)$", Pattern.MULTILINE)
              .matcher(Files.readString(page));
      while (block.find()) {
        assertThat(block.group(1))
            .as("%s: the line before the block that begins with: %s", page, block.group(3))
            .matches("<!-- (not run|run until|run at the end until): \\S.* -->")
            .doesNotMatch(block.group(2).equals("js") ? "<!-- run .*" : "never");
        marks.add(block.group(1).replaceFirst(":.*", ""));
      }
    }

    assertThat(marks)
        .contains("<!-- run until", "<!-- run at the end until")
        .hasSizeGreaterThan(20);
  }

  /** {@code AgentJarTest} runs it, and CI builds it as a project of its own. */
  @Test
  void showsAnAgentInJavaThatIsRun() throws Exception {
    Path example = Path.of("docs/examples/consumer/src/main/java/org/example/Echo.java");
    String shown = blocks("java", Path.of("docs/agents/java.md")).getFirst();

    assertThat(Files.readString(example).replaceAll("(?m)^ +", ""))
        .contains(shown.replaceAll("(?m)^ +", ""));
  }

  /** A block in another language would be neither run nor checked. */
  @Test
  void marksEachBlockWithALanguageThatIsChecked() throws Exception {
    for (Path page : pages()) {
      List<String> fences =
          Files.readAllLines(page).stream().filter(line -> line.startsWith("```")).toList();
      assertThat(fences.size() % 2).as("fences of %s", page).isZero();
      for (int i = 0; i < fences.size(); i += 2) {
        assertThat(fences.get(i))
            .as("a block of %s", page)
            .isIn("```", "```bash", "```sh", "```js", "```json", "```java", "```sql", "```xml");
        assertThat(fences.get(i + 1)).as("the end of a block of %s", page).isEqualTo("```");
      }
    }
  }

  @Test
  void showsJsonThatCanBeRead() throws Exception {
    int blocks = 0;
    for (Path page : pages()) {
      Matcher block = Pattern.compile("(?s)```json\n(.*?)```").matcher(Files.readString(page));
      while (block.find()) {
        blocks++;
        assertThatCode(() -> new ObjectMapper().readTree(block.group(1)))
            .as("a JSON block of %s", page)
            .doesNotThrowAnyException();
      }
    }

    assertThat(blocks).isPositive();
  }

  /** A cited rule such as R7.3 exists in the contract. */
  @Test
  void citesRulesThatTheContractHas() throws Exception {
    Set<String> rules = new TreeSet<>();
    Matcher rule =
        Pattern.compile("<a id=\"(r\\d+\\.\\d+[a-z]?)\"></a>").matcher(Files.readString(API));
    while (rule.find()) {
      rules.add(rule.group(1));
    }
    Set<String> sections = paths("(?m)^## (\\d+) ", API);
    Set<String> unknown = new TreeSet<>();
    Set<String> cited = new TreeSet<>();
    for (Path file : filesThatCiteRules()) {
      SECTION
          .matcher(Files.readString(file))
          .results()
          .flatMap(found -> Stream.of(found.group(1), found.group(2)))
          .filter(section -> section != null && !sections.contains(section))
          .forEach(section -> unknown.add(file + ": section " + section));
      Matcher citation =
          Pattern.compile("\\bR(\\d+\\.\\d+[a-z]?)\\b").matcher(Files.readString(file));
      while (citation.find()) {
        cited.add(citation.group());
        if (!rules.contains("r" + citation.group(1))) {
          unknown.add(file + ": " + citation.group());
        }
      }
    }

    assertThat(sections).hasSize(15);
    assertThat(cited).hasSizeGreaterThan(60);
    assertThat(unknown).isEmpty();
  }

  /** The contract names each path of the API description; parameter names may differ. */
  @Test
  void namesEveryCallInTheContract() throws Exception {
    Set<String> described = new TreeSet<>();
    try (Stream<Path> files = Files.list(Path.of("src/main/resources/openapi"))) {
      for (Path file : files.toList()) {
        described.addAll(paths("(?m)^  (/[^\\s:]+):", file));
      }
    }

    assertThat(described).hasSizeGreaterThan(50);
    assertThat(paths("(?<![\\w/])(/[\\w{}/.-]*[\\w}])", API)).containsAll(described);
  }

  /** Returns the first group of each match of {@code regex}, with parameter names removed. */
  private static Set<String> paths(String regex, Path file) throws IOException {
    return Pattern.compile(regex)
        .matcher(Files.readString(file))
        .results()
        .map(found -> found.group(1).replaceAll("\\{[^}]*}", "{}"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Path> filesThatCiteRules() throws IOException {
    List<Path> files = new ArrayList<>(pages());
    for (String folder : List.of("src", "agent/src", "db")) {
      try (Stream<Path> found = Files.walk(Path.of(folder))) {
        found.filter(file -> file.toString().matches(".*\\.(java|yaml|sql)")).forEach(files::add);
      }
    }
    return files;
  }

  @Test
  void linksToPagesAndAnchorsThatAreThere() throws Exception {
    Map<Path, Set<String>> anchors = new HashMap<>();
    Set<String> broken = new TreeSet<>();
    int links = 0;
    for (Path page : pages()) {
      for (String link : linksOf(page)) {
        links++;
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
          broken.add(page + ": " + link);
        } else if (parts.length == 2
            && !anchors.computeIfAbsent(target, DocsTest::anchorsOf).contains(parts[1])) {
          broken.add(page + ": " + link);
        }
      }
    }

    assertThat(links).isPositive();
    assertThat(broken).isEmpty();
  }

  @Test
  void canBeFoundFromTheReadme() throws Exception {
    Set<Path> found = new HashSet<>(Set.of(README));
    List<Path> toRead = new ArrayList<>(found);
    while (!toRead.isEmpty()) {
      Path page = toRead.removeLast();
      for (String link : linksOf(page)) {
        Path target = page.resolveSibling(link.replaceFirst("#.*", "")).normalize();
        if (target.toString().endsWith(".md") && Files.exists(target) && found.add(target)) {
          toRead.add(target);
        }
      }
    }

    assertThat(found).containsAll(pages());
  }

  /** A test that is named as a proof exists. */
  @Test
  void namesProofsThatAreThere() throws Exception {
    Map<String, String> tests = sourcesOfTests();
    Set<String> unknown = new TreeSet<>();
    int found = 0;
    String ofSection = "";
    for (String line : Files.readAllLines(TRACEABILITY)) {
      Matcher section = Pattern.compile("Proof \\(`(\\w+)` unless named\\)").matcher(line);
      if (line.startsWith("## ")) {
        ofSection = "";
      } else if (section.find()) {
        ofSection = section.group(1);
      }
      String proof = line.startsWith("| ") ? line.substring(line.lastIndexOf(" | ")) : line;
      String ofLine = ofSection;
      for (MatchResult code : CODE.matcher(proof).results().toList()) {
        Matcher name = PROOF.matcher(code.group(1));
        if (name.matches()) {
          ofLine = name.group(1) == null ? ofLine : name.group(1);
          String test = tests.getOrDefault(ofLine, "");
          if (name.group(2) == null ? test.isEmpty() : !test.contains(" " + name.group(2))) {
            unknown.add(ofLine + "." + name.group(2));
          }
          found++;
        }
      }
    }

    assertThat(found).isGreaterThan(80);
    assertThat(unknown).isEmpty();
  }

  private static Map<String, String> sourcesOfTests() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Path root : List.of(Path.of("src/test/java"), Path.of("src/bench/java"))) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          sources.merge(
              file.getFileName().toString().replace(".java", ""),
              Files.readString(file),
              String::concat);
        }
      }
    }
    return sources;
  }

  @Test
  void beginsWithAReadmeThatIsShort() throws Exception {
    assertThat(Files.readAllLines(README)).hasSizeLessThanOrEqualTo(MAX_LINES_OF_README);
  }

  static Stream<String> java() throws Exception {
    return blocks("java");
  }

  static Stream<String> shell() throws Exception {
    return Stream.concat(blocks("sh"), blocks("bash"));
  }

  /** All Markdown files of the repository. */
  private static List<Path> pages() throws IOException {
    try (Stream<Path> root = Files.list(Path.of(""));
        Stream<Path> docs = Files.walk(Path.of("docs"))) {
      return Stream.concat(root, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  private static Stream<String> blocks(String language) throws IOException {
    List<String> blocks = new ArrayList<>();
    for (Path page : pages()) {
      blocks.addAll(blocks(language, page));
    }
    return blocks.stream();
  }

  private static List<String> blocks(String language, Path page) throws IOException {
    return Pattern.compile("(?ms)^```" + language + "\n(.*?)^```$")
        .matcher(Files.readString(page))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** Links within the repository. */
  private static List<String> linksOf(Path page) throws IOException {
    return LINK.matcher(FENCED.matcher(Files.readString(page)).replaceAll(""))
        .results()
        .map(link -> link.group(1))
        .filter(link -> !link.matches("[a-z]+:.*"))
        .toList();
  }

  /** Anchors that GitHub makes of headings, and those that a page sets itself. */
  private static Set<String> anchorsOf(Path page) {
    String text;
    try {
      text = FENCED.matcher(Files.readString(page)).replaceAll("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Set<String> anchors = new HashSet<>();
    HEADING
        .matcher(text)
        .results()
        .map(heading -> anchor(heading.group(1)))
        .forEach(anchor -> {
          String free = anchor;
          for (int i = 1; !anchors.add(free); i++) {
            free = anchor + "-" + i;
          }
        });
    ANCHOR.matcher(text).results().forEach(found -> anchors.add(found.group(1)));
    return anchors;
  }

  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
        .strip()
        .replace(' ', '-');
  }
}
