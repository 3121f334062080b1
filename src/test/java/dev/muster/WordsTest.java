package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
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

  private static final JavaClasses SERVER =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.muster");

  /** The tests, the benchmarks and the attacks; their class path has the agent library too. */
  private static final JavaClasses TESTS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.OnlyIncludeTests())
          .importPackages("dev.muster");

  private static final Set<String> BANNED =
      Set.of(
          "beat",
          "beats",
          "claimant",
          "errand",
          "errands",
          "heard",
          "kick",
          "news",
          "patience",
          "told",
          "turnout",
          "untold",
          "wish",
          "wishes");

  private static final Pattern BANNED_START =
      Pattern.compile("(MOST|LONGEST|LARGEST|SHORTEST|LEAST|BETWEEN|PATIENCE)(_.*)?");

  private static final Pattern CONSTANT = Pattern.compile("\\bconst ([A-Z][A-Z_]*)\\b");

  private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");

  private static final Pattern BANNED_IN_TEXT =
      Pattern.compile("\\b(whoever|somebody|nobody|of ours|thereof|beats?|errands?)\\b");

  private static final Pattern COMMENT = Pattern.compile("^\\s*(\\*|/\\*|--)|// ");

  /** The name of a column in the console's snapshot of the fleet, which browsers read. */
  private static final String SNAPSHOT_COLUMN = "heard";

  private static final Pattern BANNED_IN_STRING =
      Pattern.compile(
          "\\b(whoever|somebody|nobody|of ours|beats?|errands?|heard(_\\w+)?|told|news)\\b");

  private static final Pattern BANNED_IN_PAGE =
      Pattern.compile(
          "\\b(whoever|somebody|nobody|of ours|thereof|beats?|errands?|heard|told|news)\\b");

  /** Code between back quotes, the name of a field, or a label of the console in italics. */
  private static final Pattern CODE_IN_PAGE =
      Pattern.compile("`[^`]*`|^\\s*\\w+:|\"\\w+\":|\\*\\w+\\*");

  @Test
  void namesOfTheCodeAreWordsOfTheGlossary() {
    Set<String> found = new TreeSet<>();
    List<JavaClass> agent = agentLibrary();
    assertThat(agent).hasSizeGreaterThan(50);
    Stream.of(SERVER.stream(), agent.stream(), TESTS.stream())
        .flatMap(types -> types)
        .forEach(type -> {
          check(type.getSimpleName(), type.getFullName(), found);
          for (JavaMember member : type.getMembers()) {
            check(member.getName(), member.getFullName(), found);
          }
        });
    assertThat(found).isEmpty();
  }

  @Test
  void commentsUseWordsOfTheGlossary() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path source : sources()) {
      List<String> lines = Files.readAllLines(source);
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i);
        if (isBanned(BANNED_IN_TEXT, commentOf(line))) {
          found.add(source.getFileName() + ":" + (i + 1) + " " + line.strip());
        }
      }
    }
    assertThat(found).isEmpty();
  }

  /** Logs, errors, descriptions and SQL. */
  @Test
  void stringsUseWordsOfTheGlossary() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path root : List.of(Path.of("src/main/java"), AGENT)) {
      List<StringConstants.Constant> constants = StringConstants.of(root);
      assertThat(constants).hasSizeGreaterThan(100);
      constants.stream()
          .filter(constant -> !constant.text().equals(SNAPSHOT_COLUMN))
          .filter(constant -> isBanned(BANNED_IN_STRING, constant.text()))
          .forEach(constant -> found.add(constant.type() + ": " + constant.text()));
    }
    assertThat(found).isEmpty();
  }

  /** Code in pages, such as the name of a field, is not prose. */
  @Test
  void pagesUseWordsOfTheGlossary() throws IOException {
    Set<String> found = new TreeSet<>();
    List<Path> pages = pages();
    assertThat(pages).hasSizeGreaterThan(40);
    for (Path page : pages) {
      String[] lines = Files.readString(page).split("\n", -1);
      for (int i = 0; i < lines.length; i++) {
        if (isBanned(BANNED_IN_PAGE, CODE_IN_PAGE.matcher(lines[i]).replaceAll(""))) {
          found.add(page + ":" + (i + 1) + " " + lines[i].strip());
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void constantsOfTheConsoleAreNamedLikeThoseOfTheCode() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of("src/main/console"))) {
      for (Path file : files.filter(file -> file.toString().endsWith(".js")).toList()) {
        CONSTANT
            .matcher(Files.readString(file))
            .results()
            .map(constant -> constant.group(1))
            .filter(name -> BANNED_START.matcher(name).matches())
            .forEach(name -> found.add(file + ": " + name));
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void findsBannedWordsInNames() {
    Set<String> found = new TreeSet<>();
    for (String name : List.of("BeatRepository", "tellsNews", "MOST_ROWS", "isHeard")) {
      check(name, name, found);
    }
    for (String name : List.of("heartbeat", "newsletterless", "ALMOST_ALL", "shouldAnswer")) {
      check(name, name, found);
    }
    assertThat(found).hasSize(4);
  }

  private static void check(String name, String fullName, Set<String> found) {
    boolean isBanned =
        BANNED_START.matcher(name).matches()
            || WORD.matcher(name)
                .results()
                .anyMatch(word -> BANNED.contains(word.group().toLowerCase(Locale.ROOT)));
    if (isBanned) {
      found.add(fullName);
    }
  }

  private static boolean isBanned(Pattern words, String text) {
    return words.matcher(text.toLowerCase(Locale.ROOT)).find();
  }

  private static String commentOf(String line) {
    Matcher comment = COMMENT.matcher(line);
    return comment.find() ? line.substring(comment.start()) : "";
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path root :
        List.of(
            Path.of("src/main/java"),
            AGENT,
            Path.of("src/test/java"),
            Path.of("src/bench"),
            Path.of("db/migration"))) {
      try (Stream<Path> files = Files.walk(root)) {
        files.filter(file -> file.toString().matches(".*\\.(java|sql)")).forEach(sources::add);
      }
    }
    return sources;
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path root : List.of(Path.of("docs"), Path.of("src/main/resources/openapi"))) {
      try (Stream<Path> files = Files.walk(root)) {
        files.filter(file -> file.toString().matches(".*\\.(md|yaml)")).forEach(pages::add);
      }
    }
    try (Stream<Path> files = Files.list(Path.of("."))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  /** They are on the class path of the tests. */
  private static List<JavaClass> agentLibrary() {
    return new ClassFileImporter()
            .withImportOption(new ImportOption.OnlyIncludeTests())
            .importPackages("dev.muster.agent")
            .stream()
            .filter(type -> Files.exists(AGENT.resolve(source(type))))
            .toList();
  }

  private static String source(JavaClass type) {
    String file = type.getSource().flatMap(Source::getFileName).orElseThrow();
    return type.getPackageName().replace('.', '/') + "/" + file;
  }
}
