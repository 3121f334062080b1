package dev.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import tools.jackson.databind.JsonNode;

/** Asserts the form of refusals (R0.2). */
public final class Refusals {

  private Refusals() {}

  /** Asserts a complete problem detail with this status and code, without internals. */
  public static void assertRefused(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
    JsonNode problem = answer.json();
    assertThat(problem.path("type").asString("")).as("type").isNotEmpty();
    assertThat(problem.path("title").asString("")).as("title").isNotEmpty();
    assertThat(problem.path("status").asInt(0)).as("status").isEqualTo(status);
    assertThat(problem.path("detail").asString("")).as("detail").isNotBlank();
    assertThat(problem.path("error").asString("")).as("error").isNotBlank();
    assertThat(answer.field("code")).as(answer.text()).isEqualTo(code);
    assertThat(answer.text())
        .doesNotContain("Exception", "SQLSTATE", "SELECT ", "INSERT ", "\tat ", "\\tat ");
  }

  /** As above, for a rule that leaves the code open. */
  public static void assertRefused(Answer answer, int status) {
    assertRefused(answer, status, answer.field("code"));
    assertThat(answer.field("code")).matches("[A-Z][A-Z_]+");
  }
}
