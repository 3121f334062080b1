package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Names, comments, texts and SQL use the words of the glossary in {@code docs/api.md}. */
@Execution(ExecutionMode.CONCURRENT)
class WordsTest {

  private static final Path AGENT = Path.of("agent/src/main/java");

  private static final Set<String> BANNED =
      Set.of(
          ("anybody beat beats claimant errand errands everybody heard kick news nobody"
                  + " ours parked patience room somebody told turnout untold whoever wish wishes")
              .split(" ", -1));

  private static final Pattern BANNED_START =
      Pattern.compile(
          "(MOST|LONGEST|LARGEST|SHORTEST|SMALLEST|LEAST|BETWEEN|PATIENCE"
              + "|HIGHEST(?!_PRECEDENCE))(_.*)?");

  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_]\\w*");

  private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");

  private static final Pattern COMMENT = Pattern.compile("^\\s*(\\*|/\\*|--)|// ");

  /** Comments, texts and characters, which are no code. */
  private static final Pattern NO_CODE =
      Pattern.compile(
          "(?s)\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n"
              + "])*+\"|'(?:\\\\.|[^'\\\\\n"
              + "])'|/\\*.*?\\*/|//[^\n"
              + "]*");

  /** The name of a column in the console's snapshot of the fleet, which browsers read. */
  private static final String SNAPSHOT_COLUMN = "heard";

  private static final String BANNED_IN_ALL =
      "whoever|(some|no|any|every)body|of ours|ours|parked|beats?|errands?";

  private static final Pattern BANNED_IN_COMMENT =
      Pattern.compile("\\b(" + BANNED_IN_ALL + "|thereof)\\b");

  private static final Pattern BANNED_IN_STRING =
      Pattern.compile("\\b(" + BANNED_IN_ALL + "|heard(_\\w+)?|told|news)\\b");

  private static final Pattern BANNED_IN_PAGE =
      Pattern.compile("\\b(" + BANNED_IN_ALL + "|thereof|heard|told|news)\\b");

  /** Code between back quotes, the name of a field, or the column of the console's table. */
  private static final Pattern CODE_IN_PAGE = Pattern.compile("`[^`]*`|\"\\w+\":|\\*Heard\\*");

  @Test
  void namesOfTheCodeAreWordsOfTheGlossary() throws IOException {
    Set<String> found = new TreeSet<>();
    List<Path> sources = sources();
    sources.removeIf(source -> source.toString().endsWith(".sql"));
    assertThat(sources).hasSizeGreaterThan(1000);
    for (Path source : sources) {
      namesIn(Files.readString(source))
          .filter(WordsTest::isBannedName)
          .forEach(name -> found.add(source + ": " + name));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void commentsUseWordsOfTheGlossary() throws IOException {
    assertThat(lines(sources(), WordsTest::isBannedComment)).isEmpty();
  }

  /** Logs, errors, descriptions and SQL. */
  @Test
  void stringsUseWordsOfTheGlossary() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path root : List.of(Path.of("src/main/java"), AGENT)) {
      List<StringConstants.Constant> constants = StringConstants.of(root);
      assertThat(constants).hasSizeGreaterThan(100);
      constants.stream()
          .filter(constant -> isBannedString(constant.text()))
          .forEach(constant -> found.add(constant.type() + ": " + constant.text()));
    }
    assertThat(found).isEmpty();
  }

  /** Code in pages, such as the name of a field, is not prose. */
  @Test
  void pagesUseWordsOfTheGlossary() throws IOException {
    List<Path> pages = pages();
    assertThat(pages).hasSizeGreaterThan(40);
    assertThat(lines(pages, WordsTest::isBannedInPage)).isEmpty();
  }

  /** Names, comments and texts of the console, of the alerts and dashboards, and of scripts. */
  @Test
  void scriptsUseWordsOfTheGlossary() throws IOException {
    List<Path> scripts = scripts();
    assertThat(scripts).hasSizeGreaterThan(100);
    assertThat(lines(scripts, WordsTest::isBannedInScript)).isEmpty();
  }

  @Test
  void findsPlantedWords() {
    assertThat(namesIn("int news = room(\"beat\"); // kick").filter(WordsTest::isBannedName))
        .containsExactly("news", "room");
    assertThat(Stream.of("BeatRepository", "tellsNews", "MOST_ROWS", "isHeard", "HIGHEST_TIER"))
        .allMatch(WordsTest::isBannedName);
    assertThat(Stream.of("heartbeat", "newsletterless", "ALMOST_ALL", "noBody", "roomy"))
        .noneMatch(WordsTest::isBannedName);
    assertThat(isBannedComment("  x(); /" + "/ for whoever asks")).isTrue();
    assertThat(isBannedComment("  whoever();")).isFalse();
    assertThat(isBannedString("the lock is ours")).isTrue();
    assertThat(isBannedString("heard_at")).isTrue();
    assertThat(isBannedString(SNAPSHOT_COLUMN)).isFalse();
    assertThat(isBannedInPage("It is *told* to everybody.")).isTrue();
    assertThat(isBannedInPage("note: nobody reads it")).isTrue();
    assertThat(isBannedInPage("`news`, \"told\": and *Heard*")).isFalse();
    assertThat(Stream.of("empty('Nobody waits')", "const nobodyWaits = 1", "const MOST_ROWS = 5"))
        .allMatch(WordsTest::isBannedInScript);
    assertThat(isBannedInScript("store.heard[row] // heartbeat")).isFalse();
  }

  private static boolean isBannedName(String name) {
    return BANNED_START.matcher(name).matches() || wordsOf(name).anyMatch(BANNED::contains);
  }

  private static Stream<String> namesIn(String source) {
    return IDENTIFIER
        .matcher(NO_CODE.matcher(source).replaceAll(" "))
        .results()
        .map(name -> name.group());
  }

  private static Stream<String> wordsOf(String name) {
    return WORD.matcher(name).results().map(word -> word.group().toLowerCase(Locale.ROOT));
  }

  private static boolean isBannedComment(String line) {
    return isBanned(BANNED_IN_COMMENT, commentOf(line));
  }

  private static boolean isBannedString(String text) {
    return !text.equals(SNAPSHOT_COLUMN) && isBanned(BANNED_IN_STRING, text);
  }

  private static boolean isBannedInPage(String line) {
    return isBanned(BANNED_IN_PAGE, CODE_IN_PAGE.matcher(line).replaceAll(""));
  }

  /** Prose may say what an agent is told, and {@code heard} is a column. */
  private static boolean isBannedInScript(String line) {
    return IDENTIFIER
        .matcher(line)
        .results()
        .map(name -> name.group())
        .anyMatch(name ->
            BANNED_START.matcher(name).matches()
                || wordsOf(name)
                    .filter(word -> !Set.of(SNAPSHOT_COLUMN, "told").contains(word))
                    .anyMatch(BANNED::contains));
  }

  private static boolean isBanned(Pattern words, String text) {
    return words.matcher(text.toLowerCase(Locale.ROOT)).find();
  }

  private static Set<String> lines(List<Path> files, Predicate<String> isBanned)
      throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path file : files) {
      String[] lines = Files.readString(file).split("\n", -1);
      for (int i = 0; i < lines.length; i++) {
        if (isBanned.test(lines[i])) {
          found.add(file + ":" + (i + 1) + " " + lines[i].strip());
        }
      }
    }
    return found;
  }

  private static String commentOf(String line) {
    Matcher comment = COMMENT.matcher(line);
    return comment.find() ? line.substring(comment.start()) : "";
  }

  private static List<Path> sources() throws IOException {
    return files(
        ".*\\.(java|sql)",
        Path.of("src/main/java"),
        AGENT,
        Path.of("src/test/java"),
        Path.of("src/bench"),
        Path.of("db/migration"));
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages =
        files(".*\\.(md|yaml)", Path.of("docs"), Path.of("src/main/resources/openapi"));
    try (Stream<Path> files = Files.list(Path.of("."))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  private static List<Path> scripts() throws IOException {
    List<Path> scripts =
        files(".*\\.(js|html)", Path.of("src/main/console"), Path.of("src/test/console"));
    scripts.addAll(files(".*", Path.of("docker"), Path.of("bin"), Path.of("src/build")));
    return scripts;
  }

  private static List<Path> files(String names, Path... roots) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path root : roots) {
      try (Stream<Path> files = Files.walk(root)) {
        files
            .filter(Files::isRegularFile)
            .filter(file -> file.toString().matches(names))
            .forEach(found::add);
      }
    }
    return found;
  }
}
