package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Secrets are removed from the error of a report before it is stored and truncated (R6.9). All are
 * made up.
 */
class ErrorDetailTest {

  private static final int MAX_LENGTH = 4096;
  private static final String ALNUM36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
  private static final String OWN = "q7Jk2vX9_bN4mR-tY8wZ1cD5fG6hL0pS3aE7iU2oK4c";
  private static final String JWT =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
          + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

  private static final TestFeed FEED = TestFeed.create("Failing");

  record Leak(String before, String secret, String after) {}

  static Stream<Leak> leaks() {
    return Stream.of(
        new Leak("401 for ", OWN, " at /workspaces"),
        new Leak("sent Authorization: Bearer ", OWN, ", got 401"),
        new Leak("Proxy-Authorization: Basic ", "dXNlcjpwYXNzd29yZA==", "\r\nHost: x"),
        new Leak("OpenAI: Incorrect key ", "sk-abcDEF1234567890abcdef", "."),
        new Leak("key ", "sk-proj-Ab1_cd-EF2345678901234567890", " is over quota"),
        new Leak("anthropic ", "sk-ant-api03-AbCdEf123456-7890_xyzXYZ", " expired"),
        new Leak("push with ", "ghp_" + ALNUM36, " refused"),
        new Leak("push with ", "github_pat_11ABCDEFG0_" + ALNUM36, " refused"),
        new Leak("clone: ", "glpat-Ab1cD2eF3gH4iJ5kL6mN", " is revoked"),
        new Leak("slack: ", "xoxb-123456789012-abcdefABCDEF", ": invalid_auth"),
        new Leak("aws: ", "AKIAIOSFODNN7EXAMPLE", " not authorized"),
        new Leak("maps: ", "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", " denied"),
        new Leak("publish: ", "npm_" + ALNUM36, " 403"),
        new Leak("hub: ", "hf_" + ALNUM36, " 401"),
        new Leak("stripe: ", "sk_live_" + ALNUM36, " 401"),
        new Leak("vault: ", "hvs." + ALNUM36, " 403"),
        new Leak("token ", JWT, " expired"),
        new Leak("GET https://x.example/?a=1&api_key=", "abcdefgh1234", "&b=2: 403"),
        new Leak("connect failed: host=db password=", "hunter2hunter2", " user=x"),
        new Leak("{\"user\":\"x\",\"password\":\"", "let me in, please", "\",\"n\":1}"),
        new Leak("export OPENAI_API_KEY=\"", "abc\\\"def-ghi", "\"; run"),
        new Leak("postgres://", "muster:hunter2hunter2", "@db:5432/muster: refused"),
        new Leak(
            "key: ",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq0\nabc/+=\n"
                + "-----END RSA PRIVATE KEY-----",
            " rejected"));
  }

  @ParameterizedTest
  @MethodSource("leaks")
  void losesOnlyItsSecret(Leak leak) {
    String stored = stored(leak.before() + leak.secret() + leak.after());

    assertThat(stored)
        .doesNotContain(leak.secret())
        .startsWith(leak.before())
        .endsWith(leak.after());
    assertThat(stored.length())
        .isLessThan(leak.before().length() + leak.after().length() + "[redacted]".length() + 1);
  }

  /** Truncating first would leave half of a secret, which no rule finds. */
  @ParameterizedTest
  @MethodSource("leaks")
  void losesASecretThatTruncationWouldHalve(Leak leak) {
    int beginning = Math.min(10, leak.secret().length() / 2);
    String filling =
        "x ".repeat(MAX_LENGTH).substring(0, MAX_LENGTH - beginning - leak.before().length());

    String stored = stored(filling + leak.before() + leak.secret() + leak.after());

    assertThat(stored).startsWith(filling + leak.before());
    assertThat(stored).doesNotContain(leak.secret().substring(0, beginning));
    assertThat(stored).hasSizeLessThanOrEqualTo(MAX_LENGTH);
  }

  @Test
  void losesAllItsSecrets() {
    StringBuilder text = new StringBuilder();
    leaks()
        .forEach(leak ->
            text.append(leak.before()).append(leak.secret()).append(leak.after()).append(" \n"));

    String stored = stored(text.toString());

    assertThat(leaks()).noneMatch(leak -> stored.contains(leak.secret()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " \t blanks stay \n",
        "SDK init timeout — restart workspace",
        "workspace 3f2a9b1c-7d4e-4f6a-8b2c-1d3e5f7a9b0c not found",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709 is not an ancestor",
        "[target=http://agent.example:8080/a2a] attempts 5/5, elapsed 612.4s",
        "java.net.SocketTimeoutException: timeout\n\tat a.b.C.d(C.java:1)",
        "日本語のエラー: トークン \uD83D\uDE80"
      })
  void isUnchangedWithoutASecret(String text) {
    assertThat(stored(text)).isEqualTo(text);
  }

  private static String stored(String detail) {
    String id =
        FEED.reported("\"activity_type\":\"error\",\"error_detail\":" + TestFeed.quoted(detail));
    String stored = FEED.one(id).field("error_detail");
    assertThat(FEED.newest().path("error_detail").asString()).isEqualTo(stored);
    return stored;
  }
}
