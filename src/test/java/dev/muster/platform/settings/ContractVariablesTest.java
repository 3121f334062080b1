package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

/** Each setting by its variable, by its property, and by both (section 12). */
@ExtendWith(OutputCaptureExtension.class)
class ContractVariablesTest {

  private final MockEnvironment environment = new MockEnvironment();

  @ParameterizedTest
  @EnumSource(Setting.class)
  void haveDefaultsThatTheirFormatsAccept(Setting setting) {
    if (setting.isOfMuster() && setting.kind() == Setting.Kind.TUNING) {
      ContractVariables.apply(environment);
      assertThat(environment.getProperty(setting.property()))
          .isEqualTo(setting.format().toProperty(setting.byDefault()).orElseThrow());
    }
    assertThat(
            Arrays.stream(Setting.values())
                .filter(one -> one.property().equals(setting.property())))
        .containsExactly(setting);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", " \t\n"})
  void countAsUnsetWhenTheyAreEmpty(String value) {
    environment
        .withProperty("STALE_AFTER_S", value)
        .withProperty("ROOTS_ARE_SIBLINGS", value)
        .withProperty("REGISTRATION", value);
    ContractVariables.apply(environment);

    assertThat(environment.getProperty("muster.heartbeat.stale-after")).isEqualTo("180s");
    assertThat(environment.getProperty("muster.security.roots-are-siblings")).isNull();
    assertThat(environment.getProperty("muster.registration.mode")).isNull();
  }

  @Test
  void setTheirProperties() {
    environment.withProperty("STALE_AFTER_S", " 90 ").withProperty("PUBLIC_URL", "http://x");
    ContractVariables.apply(environment);

    assertThat(environment.getProperty("muster.heartbeat.stale-after")).isEqualTo("90s");
    assertThat(environment.getProperty("muster.public-url")).isEqualTo("http://x");
  }

  @Test
  void fallBackWithAWarningForTuningSettings(CapturedOutput output) {
    environment.withProperty("STALE_AFTER_S", "soon");
    ContractVariables.apply(environment);

    assertThat(environment.getProperty("muster.heartbeat.stale-after")).isEqualTo("180s");
    assertThat(output)
        .contains(
            "STALE_AFTER_S=soon is not usable (expected a positive whole number); using the default"
                + " 180");
  }

  @Test
  void refuseTheStartForSecuritySettings() {
    environment.withProperty("ROOTS_ARE_SIBLINGS", "maybe");

    assertThatThrownBy(() -> ContractVariables.apply(environment))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage("ROOTS_ARE_SIBLINGS is not usable: expected true or false.");
  }

  @Test
  void warnOfDaysOutOfRange(CapturedOutput output) {
    environment
        .withProperty("ACTIVITY_RETENTION_DAYS", "0")
        .withProperty("ACTIVITY_HARD_RETENTION_DAYS", "10000")
        .withProperty("EVENT_RETENTION_DAYS", "1000000000");
    ContractVariables.apply(environment);

    assertThat(output)
        .contains("ACTIVITY_RETENTION_DAYS=0 is not from 1 to 10000 days; using 1d")
        .contains("EVENT_RETENTION_DAYS=1000000000 is not from 1 to 10000 days; using 10000d")
        .doesNotContain("HARD");
  }

  @Test
  void mayAgreeWithTheirProperties() {
    environment
        .withProperty("STALE_AFTER_S", "90")
        .withProperty("muster.heartbeat.stale-after", "90s");
    ContractVariables.apply(environment);

    assertThat(environment.getProperty("muster.heartbeat.stale-after")).isEqualTo("90s");
  }

  @ParameterizedTest
  @CsvSource({
    "STALE_AFTER_S, 90, muster.heartbeat.stale-after, 91s",
    "STALE_AFTER_S, 90, muster.heartbeat.staleAfter, 91s",
    "ADMIN_TOKEN, hunter2-hunter2-hunter2, muster.security.admin-token, another-secret-of-mine",
  })
  void refuseTheStartWhenTheyDifferFromTheirProperties(
      String variable, String value, String property, String another) {
    environment.withProperty(variable, value).withProperty(property, another);

    assertThatThrownBy(() -> ContractVariables.apply(environment))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage(
            "%s and the property %s have different values; set only one of them."
                .formatted(variable, Setting.valueOf(variable).property()));
  }

  @ParameterizedTest
  @CsvSource({
    "muster.heartbeat.stale-after, soon, a positive time in whole seconds",
    "muster.heartbeat.stale-after, 0s, a positive time in whole seconds",
    "muster.heartbeat.stale-after, -5s, a positive time in whole seconds",
    "muster.heartbeat.stale-after, 1500ms, a positive time in whole seconds",
    "muster.heartbeat.interval, 2y, a positive time in whole seconds",
    "muster.heartbeat.degrade-at, 1.5, a number from 0 to 1",
    "muster.activity.retention, 25h, 1 to 10000 whole days",
    "muster.activity.feed-max-rows, 0, a positive whole number",
    "muster.activity.feed-max-bytes, -1MB, a positive size",
    "muster.rate-limit.poll, -1, 0 or a positive whole number",
    "muster.security.roots-are-siblings, maybe, true or false",
  })
  void refuseABadPropertyWithoutItsValue(String property, String value, String expected) {
    environment.withProperty(property, value);

    assertThatThrownBy(() -> ContractVariables.apply(environment))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageStartingWith("The property " + property + " is not usable: expected " + expected)
        .hasMessageEndingWith(".");
  }

  @Test
  void refuseAnEmptyProperty() {
    environment.withProperty("muster.heartbeat.stale-after", "");

    assertThatThrownBy(() -> ContractVariables.apply(environment))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("muster.heartbeat.stale-after is empty");
  }

  /** Spring would use the empty variable MUSTER_HOME as the property. */
  @Test
  void readAnEmptyHomeAsUnset() {
    assertThat(TestSettings.read(SecuritySettings.class, "muster.home= ").home()).isNull();
    assertThat(TestSettings.read(SecuritySettings.class, "MUSTER_HOME=x").home()).isEqualTo("x");
  }

  @Test
  void readListsFromTextsAndFromFiles() {
    SecuritySettings byVariable =
        TestSettings.read(SecuritySettings.class, "CORS_ORIGINS=http://a, http://b");
    SecuritySettings byFile =
        TestSettings.read(
            SecuritySettings.class,
            "muster.security.cors-origins[0]=http://a",
            "muster.security.cors-origins[1]=http://b");

    assertThat(byVariable.security().corsOrigins())
        .isEqualTo(byFile.security().corsOrigins())
        .isEqualTo(List.of("http://a", "http://b"));
  }

  @Test
  void showNoTokenInTheRecord() {
    assertThat(
            TestSettings.read(SecuritySettings.class, "ADMIN_TOKEN=hunter2-hunter2-hunter2")
                .toString())
        .doesNotContain("hunter2");
  }
}
