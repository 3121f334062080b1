package dev.muster.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.settings.StartRefusedException;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Without {@code ADMIN_TOKEN} the server generates one and shows it once (R1.2). */
@Slow
@ExtendWith(OutputCaptureExtension.class)
class AdminTokenTest {

  private static final Pattern TOKEN =
      Pattern.compile("(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])");

  /** With such a log it is not generated, since others would read it there. */
  private static final String FOR_COLLECTORS = "LOG_FORMAT=json";

  @Test
  void isGeneratedAtTheFirstStartShownOnceAndStoredAsAHash(CapturedOutput output) {
    TestDatabase database = TestDatabases.create();
    String token;
    try (TestServer first = TestServer.startOn(database, "ADMIN_TOKEN=")) {
      Matcher shown = TOKEN.matcher(output);
      assertThat(shown.find()).as("a token in the log").isTrue();
      token = shown.group();
      assertThat(shown.find()).as("a second one").isFalse();
      assertThat(first.client().get("/workspaces", token).status()).isEqualTo(200);
      assertThat(first.client().get("/workspaces", TestServer.ADMIN_TOKEN).status()).isEqualTo(401);
      assertThat(
              database.value(
                  "SELECT count(*) FROM admin_token t WHERE t::text LIKE '%" + token + "%'"))
          .isEqualTo("0");
    }
    int before = output.length();

    try (TestServer second = TestServer.startOn(database, "ADMIN_TOKEN=", FOR_COLLECTORS)) {
      assertThat(TOKEN.matcher(output.getAll().substring(before)).find()).isFalse();
      assertThat(second.client().get("/workspaces", token).status()).isEqualTo(200);
    }

    // last, since a first start that fails leaves its format to the log of this JVM
    TestDatabase other = TestDatabases.create();
    for (String setting : List.of(FOR_COLLECTORS, "logging.structured.format.console=logstash")) {
      assertThatThrownBy(() -> TestServer.startOn(other, "ADMIN_TOKEN=", setting).close())
          .rootCause()
          .isInstanceOf(StartRefusedException.class)
          .hasMessageContaining("set ADMIN_TOKEN: ");
    }
    assertThat(other.value("SELECT count(*) FROM admin_token")).isEqualTo("0");
  }
}
