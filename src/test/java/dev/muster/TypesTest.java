package dev.muster;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each top-level type has a name of its own, and is worth a file of its own. */
@Execution(ExecutionMode.CONCURRENT)
class TypesTest {

  /** A shorter type with one user belongs inside this user. */
  private static final int MIN_LINES_WITH_ONE_USER = 30;

  private static final Pattern NO_CODE =
      Pattern.compile("(?s:/\\*.*?\\*/)|(?m)^(package|import) .*$|//.*|\"(\\\\.|[^\"\\\\\n])*\"");

  private static final Pattern DECLARATION =
      Pattern.compile(
          "(?m)^((public|abstract|final|sealed|non-sealed)"
              + " )*(class|record|enum|interface|@interface) \\w");

  private static final Pattern NAME = Pattern.compile("\\w+");

  /**
   * A nested type has no name of a top-level one. The agent library is a separate artifact and may
   * use the same names.
   */
  @Test
  void oneNameStandsForOneTypeOfTheServer() {
    List<JavaClass> types =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.muster")
                .stream()
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .toList();
    Map<String, List<String>> byName =
        types.stream()
            .filter(JavaClass::isTopLevelClass)
            .collect(
                groupingBy(JavaClass::getSimpleName, mapping(JavaClass::getFullName, toList())));
    assertThat(byName)
        .hasSizeGreaterThan(400)
        .allSatisfy((name, same) -> assertThat(same).hasSize(1));
    assertThat(types)
        .filteredOn(type -> type.isNestedClass() && byName.containsKey(type.getSimpleName()))
        .isEmpty();
  }

  @Test
  void noSmallTypeHasOneUser() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Path root : List.of(Path.of("src/main/java"), Path.of("agent/src/main/java"))) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
          sources.merge(typeOf(file), Files.readString(file), String::concat);
        }
      }
    }
    assertThat(sources).hasSizeGreaterThan(500);
    assertThat(smallWithOneUser(sources)).isEmpty();
  }

  @Test
  void findsPlantedSmallTypes() {
    Map<String, String> sources = new HashMap<>();
    for (String name : List.of("UsedOnce", "UsedTwice", "OnlyInTexts", "Unused")) {
      sources.put(name, "package a;\n\nclass %s {\n}\n".formatted(name));
    }
    sources.put("Large", "class Large {\n" + "// a line\n".repeat(40) + "}\n");
    sources.put("One", "class One {\n  UsedOnce a;\n UsedTwice b;\n  Large c;\n}\n");
    sources.put("Two", "import a.UsedOnce;\nclass Two {\n  // UsedOnce\n  UsedTwice b;\n}\n");
    sources.put("Text", "class Text {\n  String a = \"OnlyInTexts\"; /* OnlyInTexts */\n}\n");

    assertThat(smallWithOneUser(sources)).containsExactly("UsedOnce, which One uses");
  }

  /** Types without a user are started by a framework. */
  private static Set<String> smallWithOneUser(Map<String, String> sources) {
    Map<String, List<String>> users = new HashMap<>();
    sources.forEach((user, source) ->
        namesIn(source).stream()
            .filter(name -> sources.containsKey(name) && !name.equals(user))
            .forEach(name -> users.computeIfAbsent(name, any -> new ArrayList<>()).add(user)));
    Set<String> found = new TreeSet<>();
    sources.forEach((name, source) -> {
      List<String> by = users.getOrDefault(name, List.of());
      if (by.size() == 1 && linesOfType(source) < MIN_LINES_WITH_ONE_USER) {
        found.add(name + ", which " + by.getFirst() + " uses");
      }
    });
    return found;
  }

  private static Set<String> namesIn(String source) {
    return NAME.matcher(NO_CODE.matcher(source).replaceAll(""))
        .results()
        .map(MatchResult::group)
        .collect(toSet());
  }

  private static long linesOfType(String source) {
    var declaration = DECLARATION.matcher(source);
    return declaration.find()
        ? source.substring(declaration.start()).lines().count()
        : Long.MAX_VALUE;
  }

  private static String typeOf(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }
}
