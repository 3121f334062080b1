package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.platform.settings.EffectiveSettings.Shown;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What operators see of the settings: values and where they come from, and no secret. */
class EffectiveSettingsTest {

  private static final String SECRET = "Zk3vQ9pLr0aW1bX2";

  private static List<Shown> all(Map<String, Object> variables, String... arguments) {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                new HashMap<>(variables)));
    environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(arguments));
    ContractVariables.Faults _ = ContractVariables.faults(environment); // bad ones are shown too
    return new EffectiveSettings(environment).all();
  }

  private static Shown one(String name, Map<String, Object> variables, String... arguments) {
    return all(variables, arguments).stream()
        .filter(shown -> shown.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "STALE_AFTER_S   | 90     | 90",
        "FEED_MAX_BYTES  | 512MiB | 512MiB",
        "FEED_MAX_BYTES  | 1000   | 1000",
        "EVENT_RETENTION_DAYS | 14 | 14",
        "ACTIVITY_CLEANUP_INTERVAL_HOURS | 2 | 2",
        "MASS_OFFLINE_RATIO | 0.25 | 0.25",
        "ALLOWED_HOSTS   | a.example,b.example | a.example,b.example",
        "SERVER_PORT     | 9090   | 9090",
      })
  void showsTheVariablesValueAndWhereItWasGiven(String name, String given, String shown) {
    Shown byVariable = one(name, Map.of(name, given));
    assertThat(byVariable.value()).isEqualTo(shown);
    assertThat(byVariable.source()).isEqualTo("environment");
    assertThat(one(name, Map.of(), "--" + name + "=" + given).source()).isEqualTo("command line");
  }

  /** The start takes the first variable, and its default where that is not usable. */
  @Test
  void showsNoVariableBehindAnUnusableOne() {
    assertThat(one("STALE_AFTER_S", Map.of("STALE_AFTER_S", "60"), "--STALE_AFTER_S=soon"))
        .extracting(Shown::value, Shown::source)
        .containsExactly("180", "default");
  }

  @Test
  void showsAPropertyInTheUnitOfTheVariable() {
    Shown shown = one("STALE_AFTER_S", Map.of(), "--muster.heartbeat.stale-after=2m");
    assertThat(shown.value()).isEqualTo("120");
    assertThat(shown.source()).isEqualTo("command line");
    Shown relaxed = one("STALE_AFTER_S", Map.of("MUSTER_HEARTBEAT_STALEAFTER", "3m"));
    assertThat(relaxed.value()).isEqualTo("180");
    assertThat(relaxed.source()).isEqualTo("environment");
  }

  @Test
  void showsTheDefaultWhereNothingOrNothingUsableIsGiven() {
    assertThat(one("STALE_AFTER_S", Map.of()))
        .extracting(Shown::value, Shown::byDefault, Shown::source)
        .containsExactly("180", "180", "default");
    assertThat(one("STALE_AFTER_S", Map.of("STALE_AFTER_S", "soon")))
        .extracting(Shown::value, Shown::source)
        .containsExactly("180", "default");
    assertThat(one("REGISTRATION", Map.of()))
        .extracting(Shown::value, Shown::byDefault)
        .containsExactly(null, "open embedded, else closed");
  }

  @Test
  void showsNoSecret() {
    List<Shown> all =
        all(
            Map.of(
                "ADMIN_TOKEN", SECRET + "-admin",
                "WEBHOOK_SECRET", SECRET + "-webhook",
                "WEBHOOK_URL",
                    "https://" + SECRET + "@hooks.example:8443/" + SECRET + "?k=" + SECRET,
                "DATABASE_URL",
                    "postgres://me:" + SECRET + "@db.example:5432/muster?sslpassword=" + SECRET,
                "PUBLIC_URL", "https://me:" + SECRET + "@muster.example"));
    assertThat(all.toString()).doesNotContain(SECRET);
    assertThat(all)
        .filteredOn(shown -> shown.source().equals("environment"))
        .extracting(Shown::name, Shown::value)
        .contains(
            tuple("ADMIN_TOKEN", "set, not shown"),
            tuple("WEBHOOK_SECRET", "set, not shown"),
            tuple("WEBHOOK_URL", "https://hooks.example:8443/…"),
            tuple("DATABASE_URL", "postgresql://db.example:5432/muster"));
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://h/db?password=" + SECRET,
    "postgres://me:" + SECRET + "@ss@h/db",
    "postgres://" + SECRET + ":x@a,b:5433/db",
    "postgres://me@h/db#" + SECRET,
    "jdbc:other:" + SECRET,
  })
  void showsNoPartOfAPasswordInADatabaseUrl(String url) {
    Shown shown = one("DATABASE_URL", Map.of("DATABASE_URL", url));
    assertThat(shown.value()).isNotNull().doesNotContain(SECRET);
  }

  /** A new setting is a text that is hidden, or a number. */
  @ParameterizedTest
  @EnumSource(Setting.class)
  void decidesAboutEveryText(Setting setting) {
    if (setting.format().isText()) {
      String value = String.valueOf(one(setting.name(), Map.of(setting.name(), "x")).value());
      List<String> open =
          List.of(
              "REGISTRATION",
              "AGENT_URL_ALLOW",
              "PUBLIC_URL",
              "ALLOWED_HOSTS",
              "CORS_ORIGINS",
              "WEBHOOK_KINDS",
              "MUSTER_HOME",
              "SERVER_PORT",
              "SERVER_ADDRESS",
              "LOG_FORMAT");
      assertThat(value).isEqualTo(open.contains(setting.name()) ? "x" : "set, not shown");
    }
  }
}
