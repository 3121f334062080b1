package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.muster.MusterApplication;
import dev.muster.platform.maintenance.Command;
import dev.muster.testing.Nightly;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A bad value of a security setting, and of any property of Muster, stops the start with one
 * sentence (section 12).
 */
@Slow
class SecuritySettingsTest {

  private static final TestDatabase DATABASE = TestDatabases.create();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ADMIN_TOKEN=fifteen-letters",
        "REGISTRATION=ajar",
        "AGENT_URL_ALLOW=loopback,everything",
        "PUBLIC_WORKSPACE_READ=perhaps",
        "ROOTS_ARE_SIBLINGS=maybe",
        "CORS_ORIGINS=not an origin",
        "ALLOWED_HOSTS=muster.example,",
        "DATABASE_URL=mysql://localhost/muster",
        "SERVER_PORT=99999",
        "SERVER_ADDRESS=999.1.1.1",
        "PUBLIC_URL=ftp://muster.example",
        "WEBHOOK_URL=http://169.254.169.254/latest",
        "WEBHOOK_SECRET=fifteen-letters",
        "WEBHOOK_KINDS=everything",
        "muster.security.admin-token=fifteen-letters",
        "muster.security.roots-are-siblings=maybe",
        "muster.heartbeat.stale-after=soon",
        "muster.delegation.sweeper.enabled=perhaps",
        "muster.activity.feed-max-bytes=-1MB",
        "muster.rate-limit.general=-1"
      })
  void stopTheStartWithASentenceThatNamesThem(String setting) {
    assertStopsTheStart(setting);
  }

  /** The code that refuses them refuses one of the settings above too. */
  @Nightly
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ADMIN_TOKEN=short",
        "AGENT_URL_ALLOW=link-local",
        "ALLOWED_HOSTS=https://muster.example",
        "ALLOWED_HOSTS=*",
        "PUBLIC_URL=https://$(id)",
        "muster.registration.mode=ajar",
        "muster.agent-url.allow=everything",
        "muster.public-url=ftp://muster.example"
      })
  void stopTheStartForOtherValuesAndNamesToo(String setting) {
    assertStopsTheStart(setting);
  }

  @Test
  void areAllTriedAbove() throws NoSuchMethodException {
    ValueSource tried =
        Objects.requireNonNull(
            SecuritySettingsTest.class
                .getDeclaredMethod("stopTheStartWithASentenceThatNamesThem", String.class)
                .getAnnotation(ValueSource.class));

    assertThat(Stream.of(tried.strings()).map(one -> one.split("=", 2)[0]))
        .containsAll(
            Stream.of(Setting.values())
                .filter(one -> one.kind() == Setting.Kind.SECURITY)
                .filter(one -> one != Setting.MUSTER_HOME) // EmbeddedDatabaseRefusalTest
                .map(Setting::name)
                .toList());
  }

  private static void assertStopsTheStart(String setting) {
    String[] nameAndValue = setting.split("=", 2);

    Throwable failure = catchThrowable(() -> startWith(nameAndValue[0], nameAndValue[1]).close());

    String sentence = sentence(failure);
    assertThat(sentence).contains(nameAndValue[0]).endsWith(".").doesNotContain("\n");
    assertThat(ofDoctor(setting)).contains("fail").contains(sentence);
    if (sentence.contains("ADMIN_TOKEN")) {
      assertThat(sentence).doesNotContain(nameAndValue[1]);
    }
  }

  /** What {@code muster doctor} says, with another database where the test gives none. */
  private static String ofDoctor(String setting) {
    List<String> arguments = new ArrayList<>(List.of("doctor", "--" + setting));
    if (!setting.startsWith("DATABASE_URL")) {
      arguments.add("--DATABASE_URL=" + DATABASE.url());
    }
    return Command.run(arguments.toArray(String[]::new)).out();
  }

  /** Without the help of {@link TestServer}: here each setting has one value. */
  private static ConfigurableApplicationContext startWith(String name, String value) {
    Map<String, String> settings = new HashMap<>();
    settings.put("DATABASE_URL", DATABASE.url());
    settings.put("SERVER_PORT", "0");
    settings.put("SERVER_ADDRESS", "127.0.0.1");
    if (!name.equals("muster.security.admin-token")) {
      settings.put("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
    }
    settings.put(name, value);
    SpringApplication application = new SpringApplication(MusterApplication.class);
    application.setRegisterShutdownHook(false);
    return application.run(
        settings.entrySet().stream()
            .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
            .toArray(String[]::new));
  }

  private static String sentence(@Nullable Throwable failure) {
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StartRefusedException refusal) {
        return String.valueOf(refusal.getMessage());
      }
    }
    throw new AssertionError("the start was not refused", failure);
  }
}
