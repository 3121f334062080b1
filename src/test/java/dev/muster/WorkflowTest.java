package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The CI workflow fits to {@code .ci/run} and to the build. */
class WorkflowTest {

  private static final Path WORKFLOW = Path.of(".github/workflows/ci.yml");

  /** {@code .ci/run} states that it ends within 40 minutes. */
  @Test
  void givesTheScriptTheTimeThatItMayTake() throws IOException {
    assertThat((Integer) job("all").get("timeout-minutes")).isGreaterThan(40);
  }

  @Test
  void buildsBesideANewerJdk() throws IOException {
    assertThat(javaVersions("all")).startsWith("26", "25");
  }

  /** {@code src/build/check-consumer} reads the variable that the action sets. */
  @Test
  void buildsAProgramThatUsesTheAgentLibraryWithTheOldestJavaThatItNeeds() throws IOException {
    assertThat(javaVersions("all")).contains("21");
    assertThat(Files.readString(Path.of("src/build/check-consumer")))
        .contains("${JAVA_HOME_21_X64:-");
  }

  @Test
  void installsWhatTheScriptCanOnlyAsRoot() throws IOException {
    assertThat(commands("all"))
        .containsSubsequence(
            "sudo apt-get update && sudo apt-get install -y prometheus", ".ci/run");
  }

  @Test
  void triesTheNextJdkEachNightAndMayFailThere() throws IOException {
    assertThat(job("newer-jdk"))
        .containsEntry("if", "github.event_name == 'schedule'")
        .containsEntry("continue-on-error", true);
    assertThat(javaVersions("newer-jdk")).contains("26").doesNotContain("25");
    assertThat(commands("newer-jdk"))
        .containsExactly("mvn -B -ntp verify '-Djdk.range=[26,)' -Dlint.fatal=false");
  }

  /** Maven ignores a misspelt property. */
  @Test
  void setsOnlyPropertiesThatTheBuildHas() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    List<String> properties =
        Pattern.compile("-D((?!test\\.)[\\w.]+)=")
            .matcher(Files.readString(WORKFLOW))
            .results()
            .map(match -> match.group(1))
            .toList();

    assertThat(properties)
        .contains("lint.fatal", "jdk.range")
        .allSatisfy(name -> assertThat(pom).contains("<" + name + ">", "${" + name + "}"));
  }

  private static List<String> javaVersions(String job) throws IOException {
    return steps(job).stream()
        .filter(step -> String.valueOf(step.get("uses")).startsWith("actions/setup-java@"))
        .flatMap(step -> String.valueOf(part(step, "with").get("java-version")).lines())
        .toList();
  }

  private static List<String> commands(String job) throws IOException {
    return steps(job).stream()
        .filter(step -> step.containsKey("run"))
        .map(step -> String.valueOf(step.get("run")))
        .toList();
  }

  private static List<Map<?, ?>> steps(String job) throws IOException {
    return ((List<?>) Objects.requireNonNull(job(job).get("steps")))
        .stream().<Map<?, ?>>map(step -> (Map<?, ?>) step).toList();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> job(String name) throws IOException {
    Map<?, ?> workflow = new Yaml().load(Files.readString(WORKFLOW));
    return (Map<String, Object>) part(part(workflow, "jobs"), name);
  }

  private static Map<?, ?> part(Map<?, ?> whole, String name) {
    return (Map<?, ?>) Objects.requireNonNull(whole.get(name), name);
  }
}
