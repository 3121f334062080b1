package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** {@code docker compose} accepts every setting of the server (docs/api.md, section 12). */
class ComposeTest {

  /** Compose sets these itself: its own database, and the port and address inside the image. */
  private static final Set<String> DECIDED =
      Set.of("DATABASE_URL", "MUSTER_HOME", "SERVER_ADDRESS", "SERVER_PORT");

  private static final Pattern NAME = Pattern.compile("`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)`");

  @Test
  void passesEverySettingThrough() throws IOException {
    Map<?, ?> environment = part(server(), "environment");
    Set<String> settings = documented();
    assertThat(settings).hasSizeGreaterThan(35).containsAll(DECIDED);
    settings.removeAll(DECIDED);

    for (String setting : settings) {
      assertThat(environment.get(setting)).as(setting).isEqualTo("${" + setting + ":-}");
    }
    assertThat(environment.keySet().stream().map(Object::toString).toList())
        .allMatch(name -> settings.contains(name) || name.startsWith("SPRING_"));
  }

  /** Two servers cannot use the same host port; a range of host ports can be set. */
  @Test
  void letsSeveralServersBeStarted() throws IOException {
    assertThat((List<?>) server().get("ports"))
        .singleElement()
        .isEqualTo("127.0.0.1:${MUSTER_PORTS:-8080}:8080");
    assertThat(server().get("container_name")).isNull();
  }

  private static Map<?, ?> server() throws IOException {
    Map<?, ?> compose = new Yaml().load(Files.readString(Path.of("docker/compose.yaml")));
    return part(part(compose, "services"), "server");
  }

  private static Map<?, ?> part(Map<?, ?> whole, String name) {
    return (Map<?, ?>) Objects.requireNonNull(whole.get(name), name);
  }

  /** The names in the first columns of the tables of {@code docs/operate/settings.md}. */
  private static Set<String> documented() throws IOException {
    return Files.readAllLines(Path.of("docs/operate/settings.md")).stream()
        .filter(line -> line.startsWith("| "))
        .flatMap(line -> NAME.matcher(line.split("\\|", -1)[1]).results())
        .map(MatchResult::group)
        .map(name -> name.replace("`", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
