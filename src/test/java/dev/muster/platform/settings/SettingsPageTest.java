package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.settings.Setting.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The settings page has the tables of {@link Setting}; {@code -Dupdate-docs} writes them. The
 * contract names the same settings.
 */
class SettingsPageTest {

  private static final Path PAGE = Path.of("docs/operate/settings.md");
  private static final Path CONTRACT = Path.of("docs/api.md");
  private static final Pattern NAME = Pattern.compile("`([A-Z0-9_]+)`");

  @ParameterizedTest
  @CsvSource({"SECURITY, Security", "TUNING, Tuning"})
  void hasTheTableOfTheSettings(Kind kind, String heading) throws IOException {
    Matcher table =
        Pattern.compile("(?s)(?<=\n## " + heading + "\n\n)\\|.*?(?=\n\n)")
            .matcher(Files.readString(PAGE));
    assertThat(table.find()).isTrue();
    if (Boolean.getBoolean("update-docs")) {
      Files.writeString(PAGE, table.replaceFirst(Matcher.quoteReplacement(table(kind))));
    } else {
      assertThat(table.group())
          .as("after a change of a setting: mvn test -Dtest=SettingsPageTest -Dupdate-docs=true")
          .isEqualTo(table(kind));
    }
  }

  @ParameterizedTest
  @CsvSource({"SECURITY, Security", "TUNING, Tuning"})
  void areThoseOfSection12(Kind kind, String heading) throws IOException {
    Matcher table =
        Pattern.compile("(?s)\\| " + heading + " \\| Default \\|.*?(?=\n\n)")
            .matcher(Files.readString(CONTRACT));
    assertThat(table.find()).isTrue();
    Map<String, String> defaults = new TreeMap<>();
    table
        .group()
        .lines()
        .skip(2)
        .forEach(row -> {
          String[] cells = row.split("\\|", -1);
          List<String> names = NAME.matcher(cells[1]).results().map(name -> name.group(1)).toList();
          List<String> values =
              names.size() == 1 ? List.of(cells[2].strip()) : List.of(cells[2].strip().split(", "));
          assertThat(values).as(row).hasSameSizeAs(names);
          for (int n = 0; n < names.size(); n++) {
            defaults.put(names.get(n), values.get(n).replace("`", ""));
          }
        });
    assertThat(defaults)
        .as("the variables of section 12 of the contract, with their defaults")
        .containsExactlyInAnyOrderEntriesOf(
            Arrays.stream(Setting.values())
                .filter(setting -> setting.kind() == kind)
                .collect(
                    Collectors.toMap(
                        Setting::toString, setting -> setting.byDefault().replace("`", ""))));
  }

  private static String table(Kind kind) {
    return "| Variable | Property | Default | |\n|---|---|---|---|\n"
        + Arrays.stream(Setting.values())
            .filter(setting -> setting.kind() == kind)
            .map(setting -> row(setting))
            .collect(Collectors.joining("\n"));
  }

  private static String row(Setting setting) {
    String byDefault = setting.byDefault();
    return "| `%s` | `%s` | %s | %s |"
        .formatted(
            setting,
            setting.property(),
            setting.kind() == Kind.TUNING ? "`" + byDefault + "`" : byDefault,
            setting.description());
  }
}
