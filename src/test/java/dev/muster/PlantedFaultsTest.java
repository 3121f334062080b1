package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks what {@code src/build/planted} needs of each planted fault: the lines that it changes are
 * in the file, and the classes that should notice it exist. Costs a second.
 */
class PlantedFaultsTest {

  private static final Path FAULTS = Path.of("src", "test", "planted");
  private static final String CLASSES = "# ";
  private static final String FILE = "--- a/";

  private static Set<String> testClasses;

  @BeforeAll
  static void findTestClasses() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src", "test", "java"))) {
      testClasses =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith("Test.java"))
              .map(name -> name.substring(0, name.length() - ".java".length()))
              .collect(Collectors.toSet());
    }
  }

  static List<Path> faults() throws IOException {
    try (Stream<Path> files = Files.list(FAULTS)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("faults")
  void appliesToTheSources(Path fault) throws IOException {
    String source = "";
    int hunks = 0;
    List<String> lines = Files.readAllLines(fault);
    for (int at = 0; at < lines.size(); at++) {
      if (lines.get(at).startsWith(FILE)) {
        source = Files.readString(Path.of(lines.get(at).substring(FILE.length())));
      } else if (lines.get(at).startsWith("@@")) {
        hunks++;
        assertThat(source).contains(linesBefore(lines.subList(at + 1, lines.size())));
      }
    }
    assertThat(hunks).isPositive();
  }

  /** Returns what a hunk changes, with the lines around it; the next hunk or file ends it. */
  private static String linesBefore(List<String> fromHunk) {
    return fromHunk.stream()
        .takeWhile(line -> !line.startsWith("@@") && !line.startsWith(FILE))
        .filter(line -> line.startsWith(" ") || line.startsWith("-"))
        .map(line -> line.substring(1))
        .collect(Collectors.joining("\n"));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void namesTestClasses(Path fault) throws IOException {
    String first = Files.readAllLines(fault).getFirst();
    assertThat(first).startsWith(CLASSES);
    assertThat(testClasses).contains(first.substring(CLASSES.length()).split(" "));
  }
}
