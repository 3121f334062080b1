package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks what {@code src/build/planted} needs of each planted fault: the lines that it changes are
 * in the file, and the classes that should notice it exist. Costs a tenth of a second.
 */
class PlantedFaultsTest {

  private static final Path FAULTS = Path.of("src", "test", "planted");
  private static final String CLASSES = "# ";
  private static final String FILE = "--- a/";

  static List<Path> faults() throws IOException {
    try (Stream<Path> files = Files.list(FAULTS)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("faults")
  void appliesToTheSources(Path fault) throws IOException {
    List<String> lines = Files.readAllLines(fault);
    String source = null;
    List<String> before = new ArrayList<>();
    int hunks = 0;
    for (String line : lines) {
      if (line.startsWith(FILE)) {
        source = Files.readString(Path.of(line.substring(FILE.length())));
      } else if (line.startsWith("@@")) {
        hunks++;
        assertIn(source, before);
        before.clear();
      } else if (hunks > 0 && (line.startsWith(" ") || line.startsWith("-"))) {
        before.add(line.substring(1));
      }
    }
    assertThat(hunks).isPositive();
    assertIn(source, before);
  }

  private static void assertIn(String source, List<String> lines) {
    assertThat(source).isNotNull().contains(String.join("\n", lines));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void namesTestClasses(Path fault) throws IOException {
    String first = Files.readAllLines(fault).getFirst();
    assertThat(first).startsWith(CLASSES);
    assertThat(testClasses()).contains(first.substring(CLASSES.length()).split(" "));
  }

  private static Set<String> testClasses() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src", "test", "java"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith("Test.java"))
          .map(name -> name.substring(0, name.length() - ".java".length()))
          .collect(Collectors.toSet());
    }
  }
}
