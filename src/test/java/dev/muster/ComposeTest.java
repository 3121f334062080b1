package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** {@code docker compose} accepts every setting of the server (docs/api.md, section 12). */
class ComposeTest {

  /** Compose sets these itself: its own database, and the port and address inside the image. */
  private static final Set<String> DECIDED =
      Set.of("DATABASE_URL", "MUSTER_HOME", "SERVER_ADDRESS", "SERVER_PORT");

  @Test
  void passesEverySettingThrough() throws IOException {
    Map<?, ?> environment = part(server(), "environment");
    Set<String> settings = DocumentedSettings.namesBut(DECIDED);

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
}
