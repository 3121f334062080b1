package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The Helm chart accepts every setting of the server; {@code src/build/check-chart} renders it. */
class ChartTest {

  /** They come from the secret, or belong to the image. */
  private static final Set<String> DECIDED =
      Set.of("ADMIN_TOKEN", "DATABASE_URL", "MUSTER_HOME", "SERVER_ADDRESS", "SERVER_PORT");

  private static final Path CHART = Path.of("docker/chart");

  @Test
  void acceptsEverySettingAndNothingElse() throws IOException {
    JsonNode settings =
        new ObjectMapper()
            .readTree(Files.readString(CHART.resolve("values.schema.json")))
            .at("/properties/settings");

    assertThat(settings.at("/properties").propertyNames())
        .containsExactlyInAnyOrderElementsOf(DocumentedSettings.namesBut(DECIDED));
    assertThat(settings.at("/additionalProperties").asBoolean(true)).isFalse();
  }

  /** The version of the chart is the tag of the image by default. */
  @Test
  void hasTheVersionOfTheBuild() throws IOException {
    Map<?, ?> chart = new Yaml().load(Files.readString(CHART.resolve("Chart.yaml")));
    Matcher version =
        Pattern.compile("<artifactId>muster</artifactId>\\s*<version>(.*?)</version>")
            .matcher(Files.readString(Path.of("pom.xml")));

    assertThat(version.find()).isTrue();
    assertThat(chart.get("version")).isEqualTo(version.group(1));
    assertThat(chart.get("appVersion")).isEqualTo(version.group(1));
  }
}
