package dev.muster.attack;

import dev.muster.attack.Connection.Answer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Decides whether the answer to a hostile request is a valid one. */
final class Verdict {

  /** Codes of 5xx answers that are about an agent or about a bound. */
  private static final Set<String> EXPECTED_5XX =
      Set.of(
          "UNAVAILABLE",
          "QUEUE_FULL",
          "WORKSPACE_PAUSED",
          "AGENT_UNREACHABLE",
          "AGENT_TIMEOUT",
          "AGENT_HTTP_ERROR",
          "AGENT_URL_NOT_ALLOWED",
          "BAD_AGENT_RESPONSE");

  private static final List<String> TRACES =
      List.of("\tat ", "java.lang.", "dev.muster.", "org.postgresql", "org.springframework");
  private static final List<String> FIELDS = List.of("type", "title", "detail", "error", "code");
  private static final JsonMapper JSON = JsonMapper.shared();

  private Verdict() {}

  /** Returns the fault of the answer, if there is one. */
  static Optional<String> fault(FuzzedRequest request, Answer answer) {
    if (answer.status() < 400) {
      return Optional.empty();
    }
    for (String trace : TRACES) {
      if (answer.body().contains(trace)) {
        return Optional.of("an error speaks of code: " + answer.body());
      }
    }
    if (!request.answerHasBody()) {
      return answer.status() == 500 ? Optional.of("500") : Optional.empty();
    }
    return errorFault(answer).map(fault -> answer.status() + ": " + fault + ": " + answer.body());
  }

  private static Optional<String> errorFault(Answer answer) {
    JsonNode body;
    try {
      body = JSON.readTree(answer.body());
    } catch (JacksonException e) {
      return Optional.of("the body of an error is not JSON");
    }
    if (answer.status() == 404 && body.path("deleted").asBoolean(false)) {
      return Optional.empty(); // 410 is the answer for a removed workspace
    }
    if (!answer.header("content-type").startsWith("application/problem+json")) {
      return Optional.of("an error is no problem detail");
    }
    for (String field : FIELDS) {
      if (!body.path(field).isString()) {
        return Optional.of("an error lacks " + field);
      }
    }
    if (body.path("status").asInt(0) != answer.status()) {
      return Optional.of("an error has another status than its answer");
    }
    String code = body.path("code").asString();
    if (answer.status() >= 500 && !EXPECTED_5XX.contains(code)) {
      return Optional.of("a bad request is the client's fault");
    }
    if (code.equals("UNAVAILABLE") && answer.header("retry-after").isEmpty()) {
      return Optional.of("UNAVAILABLE lacks Retry-After");
    }
    return Optional.empty();
  }
}
