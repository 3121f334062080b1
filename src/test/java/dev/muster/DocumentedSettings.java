package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the settings that {@code docs/operate/settings.md} lists. */
final class DocumentedSettings {

  private static final Pattern NAME = Pattern.compile("`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)`");

  private DocumentedSettings() {}

  /** Returns the names in the first columns of the tables, except those in {@code decided}. */
  static Set<String> namesBut(Set<String> decided) throws IOException {
    Set<String> names =
        Files.readAllLines(Path.of("docs/operate/settings.md")).stream()
            .filter(line -> line.startsWith("| "))
            .flatMap(line -> NAME.matcher(line.split("\\|", -1)[1]).results())
            .map(MatchResult::group)
            .map(name -> name.replace("`", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(names).hasSizeGreaterThan(35).containsAll(decided);
    names.removeAll(decided);
    return names;
  }
}
