package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.MusterApplication;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Misspelt settings, and the program's options (section 12). */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class SettingNamesTest {

  private static final String MISSPELT =
      "The property muster.stale-after is not a setting of Muster; did you mean STALE_AFTER_S?";

  @TempDir Path folder;

  @Test
  void areKnown() {
    assertThat(SettingNames.all()).hasSizeGreaterThan(35);
    assertThat(SettingNames.warnings(Map.of())).isEmpty();
    SettingNames.all()
        .forEach(name -> assertThat(SettingNames.warnings(Map.of(name, "x"))).isEmpty());
    assertThat(
            SettingNames.warnings(
                Map.of("MUSTER_HEARTBEAT_STALEAFTER", "x", "MUSTER_HEARTBEAT_STALE_AFTER", "x")))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "STALE_AFTER, STALE_AFTER_S",
    "STALE_AFTR_S, STALE_AFTER_S",
    "stale_after_s, STALE_AFTER_S",
    "ADMIN_TOKNE, ADMIN_TOKEN",
    "MUSTER_HOM, MUSTER_HOME",
    "RATELIMIT, RATE_LIMIT",
    "STALED_AFTER_S, STALE_AFTER_S",
  })
  void areReportedWithTheNearestName(String variable, String meant) {
    assertThat(SettingNames.warnings(Map.of(variable, "hunter2-secret")))
        .containsExactly(
            "the environment variable "
                + variable
                + " is not a setting of Muster and is ignored; did you mean "
                + meant
                + "?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"MUSTER_STALE_AFTER_S", "MUSTER_X", "MUSTER_"})
  void areAlwaysReportedAfterThePrefix(String variable) {
    assertThat(SettingNames.warnings(Map.of(variable, "hunter2-secret")))
        .containsExactly(
            "the environment variable " + variable + " is not a setting of Muster and is ignored");
  }

  @Test
  void areReportedInOrderAndTruncated() {
    String longest = "MUSTER_" + "X".repeat(57);
    assertThat(SettingNames.warnings(Map.of(longest + "YZ", "x", "MUSTER_A", "x")))
        .containsExactly(
            "the environment variable MUSTER_A is not a setting of Muster and is ignored",
            "the environment variable " + longest + " is not a setting of Muster and is ignored");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MUSTER_SERVICE_HOST",
        "MUSTER_SERVICE_PORT_HTTP",
        "MUSTER_PORT",
        "MUSTER_PORT_8080_TCP_ADDR",
        "MUSTER_HOME",
        "MUSTER_URL",
        "MUSTER_TOKEN",
        "MUSTER_TOKEN_FILE",
        "MUSTER_WORKSPACE_ID",
        "MUSTER_STATE_DIR",
        "MUSTER_NAME",
        "MUSTER_EXEC",
        "MUSTER_EXEC_TIMEOUT",
        "MUSTER_QUIET",
        "MUSTER_PARENT_DELEGATION",
        "PATH",
        "STALE",
        "DATABASE",
        "JAVA_HOME",
        "SPRING_DATASOURCE_HIKARI_MINIMUM_IDLE",
      })
  void areNotReportedForVariablesOfOtherPrograms(String variable) {
    assertThat(SettingNames.warnings(Map.of(variable, "x"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "STALE_AFTER, STALE_AFTER_S",
    "stale-after-s, STALE_AFTER_S",
    "RATELIMIT, RATE_LIMIT",
  })
  void areReportedForProperties(String property, String meant) {
    assertThat(SettingNames.warnings(List.of(property)))
        .containsExactly(
            "the property "
                + property
                + " is not a setting of Muster and is ignored; did you mean "
                + meant
                + "?");
  }

  /** A name with a dot is Spring's; {@code server.port} is the one nearest to a setting. */
  @ParameterizedTest
  @ValueSource(strings = {"server.port", "server.address", "STALE_AFTER_S", "debug", "java.home"})
  void areNotReportedForOtherProperties(String property) {
    assertThat(SettingNames.warnings(List.of(property))).isEmpty();
  }

  @Test
  void areReportedForTheCommandLineAndFiles(CapturedOutput output) {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(new SimpleCommandLinePropertySource("--RATELIMIT=7", "--STALE_AFTER_S=7"));
    environment
        .getPropertySources()
        .addLast(new MapPropertySource("a file", Map.of("STALE_AFTER", "hunter2-secret")));

    ContractVariables.apply(environment);

    assertThat(output)
        .contains("the property RATELIMIT ", "did you mean STALE_AFTER_S?")
        .doesNotContain("hunter2-secret", "STALE_AFTER_S is");
  }

  @ParameterizedTest
  @CsvSource({
    "muster.stale-after-s, STALE_AFTER_S",
    "muster.heartbeat.stale-aftr, muster.heartbeat.stale-after",
    "muster.hom, muster.home",
    "muster.folder.musterhome, MUSTER_HOME",
    "Muster.Rate_Limt, RATE_LIMIT",
  })
  void refuseTheStartWhenAPropertyIsMisspelt(String property, String meant) {
    assertThatThrownBy(() -> ContractVariables.refuseUnknown(property))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage(
            "The property "
                + property
                + " is not a setting of Muster; did you mean "
                + meant
                + "?");
  }

  @Test
  void areRefusedAfterThePrefixInEverySource() {
    GenericApplicationContext context = new GenericApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addLast(new MapPropertySource("a file", Map.of("muster.colour", "x")));

    assertThatThrownBy(() -> new ContractVariables().initialize(context))
        .isInstanceOf(StartRefusedException.class);
  }

  /** Misspelt variables have warnings of their own. */
  @Test
  void areNotReportedAsPropertiesForTheEnvironment() {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new MapPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                Map.of("STALE_AFTER", "x")));

    assertThat(SettingNames.givenProperties(environment))
        .contains("java.home")
        .doesNotContain("STALE_AFTER");
  }

  @Test
  void listAllNamesWhenNoneIsNear() {
    assertThatThrownBy(() -> ContractVariables.refuseUnknown("muster.colour"))
        .hasMessage(
            "The property muster.colour is not a setting of Muster; --help lists all of them.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"server.port", "spring.muster.x", "musterX", "MUSTER_X"})
  void doNotRefuseOtherProperties(String property) {
    assertThatCode(() -> ContractVariables.refuseUnknown(property)).doesNotThrowAnyException();
  }

  @Test
  void stopTheStartFromTheCommandLine() {
    TestDatabase unusable = new TestDatabase("not an address");

    assertThatThrownBy(
            () -> TestServer.startOn(unusable, "muster.stale-after=hunter2-secret").close())
        .isInstanceOf(StartRefusedException.class)
        .hasMessage(MISSPELT);
  }

  /** Before it connects to the database, which has no usable url here. */
  @Slow
  @Test
  void stopTheStartFromAFile() throws Exception {
    Path settings =
        Files.writeString(folder.resolve("more.properties"), "muster.stale-after=hunter2-secret");
    Process process = program("--spring.config.additional-location=file:" + settings);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isNotZero();
    assertThat(output)
        .contains(MISSPELT)
        .doesNotContain("hunter2-secret", "DATABASE_URL")
        .doesNotContainPattern("(?m)^\\s+at [\\w.]+\\(");
    assertThat(folder.resolve("home")).doesNotExist();
  }

  @Test
  void areReportedWhenTheyAreRead(CapturedOutput output) {
    ContractVariables.apply(
        new StandardEnvironment() {
          @Override
          public Map<String, Object> getSystemEnvironment() {
            return Map.of("STALE_AFTER", "hunter2-secret");
          }
        });

    assertThat(output).contains("did you mean STALE_AFTER_S?").doesNotContain("hunter2-secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "--SERVER_PORT=1 | none",
        "--server.port=1 | none",
        "--muster.heartbeat.interval=1s | none",
        "--MUSTER_HEARTBEAT_INTERVAL=1s | none",
        "--SERVER_PROT=hunter2 | --SERVER_PROT is not an option (expected: a setting as"
            + " --NAME=value, such as --SERVER_PORT=8081); did you mean SERVER_PORT?",
        "--port=1 | --port is not an option (expected: a setting as --NAME=value, such as"
            + " --SERVER_PORT=8081)",
        "--doctor | --doctor is not an option (expected: a setting as --NAME=value, such as"
            + " --SERVER_PORT=8081)",
        "-SERVER_PORT=1 | -SERVER_PORT is not an option (expected: a setting as --NAME=value, such"
            + " as --SERVER_PORT=8081); did you mean SERVER_PORT?",
      })
  void tellWhichOptionsThereAre(String option, @Nullable String wrong) {
    assertThat(SettingNames.wrongOption(option)).isEqualTo(Optional.ofNullable(wrong));
  }

  @Slow
  @ParameterizedTest
  @CsvSource({
    "--port=8081, muster: --port is not an option",
    "--json doctor, muster: doctor comes too late (expected: the command first)",
    "doctor --jsno, muster: --jsno is not an option",
    "backup --json x, muster: --json is not an option",
  })
  void areTheOnlyOptions(String options, String begin) throws Exception {
    Process process = program(options.split(" "));
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isEqualTo(2);
    assertThat(output).startsWith(begin).endsWith("muster --help says more.\n");
  }

  @Slow
  @ParameterizedTest
  @CsvSource({
    "--help, Usage: muster",
    "-h, Usage: muster",
    "--version, muster ",
    "-v, muster ",
  })
  void areNotNeededForVersionAndHelp(String option, String begin) throws Exception {
    Process process = program(option);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output).startsWith(begin).doesNotContain("INFO", "Spring", "unknown");
    assertThat(output.contains("STALE_AFTER_S")).isEqualTo(begin.startsWith("Usage"));
    assertThat(folder.resolve("home")).doesNotExist();
  }

  /** Runs the product as a process. */
  private Process program(String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                MusterApplication.class.getName()));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("MUSTER_HOME", folder.resolve("home").toString());
    builder.environment().put("DATABASE_URL", "not an address");
    builder.redirectErrorStream(true);
    return builder.start();
  }
}
