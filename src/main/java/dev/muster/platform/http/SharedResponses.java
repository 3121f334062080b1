package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.Problem;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Adds the callers, rate limit headers and error responses to an operation.
 *
 * <p>They come from {@code x-role}, {@code x-viewer}, {@code x-limit} and {@code x-problems}. Each
 * error status gets one response.
 */
final class SharedResponses {

  private static final String SESSION = "session";

  private static final Map<String, String> CALLERS =
      Map.of(
          "none",
          "Needs no credential.",
          "optional",
          "With or without a credential.",
          "ws",
          "For the workspace's own agent, the admin and operators.",
          "admin",
          "For the admin and operators.",
          "peer",
          "For the workspace's own agent, those that may talk to it, the admin and operators.",
          "sender",
          "For the message's sender, the admin and operators.",
          "sides",
          "For the agents of its caller and callee, the admin and operators.",
          SESSION,
          "For a session of the console.");

  private static final String VIEWERS = " Viewers may read it as well.";

  private SharedResponses() {}

  static void addTo(String path, ObjectNode operation) {
    String role = take(operation, "x-role", "");
    String limit = take(operation, "x-limit", "general");
    Set<ErrorCode> codes = EnumSet.noneOf(ErrorCode.class);
    for (JsonNode code : operation.path("x-problems")) {
      codes.add(ErrorCode.valueOf(code.asString()));
    }
    operation.remove("x-problems");
    if (codes.contains(ErrorCode.BODY_TOO_LARGE)) { // so it reads a body
      codes.add(ErrorCode.UNSUPPORTED_ENCODING);
    }
    if (path.contains("{") || role.equals(SESSION)) {
      codes.add(ErrorCode.BAD_REQUEST); // a path or a cookie that is not HTTP
    }
    describeCallers(operation, role, codes);
    if (!limit.equals("none")) {
      codes.add(ErrorCode.RATE_LIMITED);
      codes.add(ErrorCode.UNAVAILABLE);
    }
    ObjectNode answers = operation.withObjectProperty("responses");
    codes.forEach(code -> addProblem(answers, code));
    for (JsonNode answer : answers) {
      addHeaders((ObjectNode) answer, limit);
    }
  }

  private static void describeCallers(ObjectNode operation, String role, Set<ErrorCode> codes) {
    String callers = CALLERS.get(role);
    if (callers == null) {
      throw new IllegalStateException(operation.path("operationId") + ": x-role: " + role);
    }
    String viewers = operation.remove("x-viewer") == null ? "" : VIEWERS;
    String description = operation.path("description").asString("").strip();
    operation.put("description", (description + "\n\n" + callers + viewers).strip());
    if (!role.equals("none")) {
      ArrayNode schemes = operation.putArray("security");
      if (!role.equals(SESSION)) {
        schemes.addObject().putArray("bearer");
      }
      ObjectNode session = schemes.addObject();
      session.putArray("session");
      session.putArray("page_key");
      codes.add(ErrorCode.UNAUTHENTICATED);
      if (!role.equals("optional")) {
        codes.add(ErrorCode.FORBIDDEN);
      } else {
        operation.withArrayProperty("security").addObject();
      }
    }
  }

  private static void addProblem(ObjectNode answers, ErrorCode code) {
    String status = Integer.toString(code.status().value());
    boolean described = answers.path(status).path("content").has("application/json");
    if (described) {
      return; // here the operation describes this status itself, with another meaning
    }
    ObjectNode answer = answers.withObjectProperty(status);
    answer.put("description", code.status().getReasonPhrase());
    ObjectNode problem =
        answer.withObjectProperty("content").withObjectProperty("application/problem+json");
    problem.putObject("schema").put("$ref", "#/components/schemas/Problem");
    Problem example = new Problem(code, "what is wrong, in a sentence for people", Map.of());
    problem
        .withObjectProperty("examples")
        .putObject(code.name())
        .set("value", JsonMapper.shared().valueToTree(example.body("5f0c1d2e3a4b5c6d")));
  }

  private static void addHeaders(ObjectNode answer, String limit) {
    addHeader(answer, "X-Request-ID", "The request's id", "string");
    if (!limit.equals("none")) {
      addHeader(
          answer, "X-RateLimit-Limit", "Requests allowed a minute (" + limit + ")", "integer");
      addHeader(answer, "X-RateLimit-Remaining", "Requests left now", "integer");
      addHeader(answer, "X-RateLimit-Reset", "Seconds until all are back", "integer");
    }
  }

  private static void addHeader(ObjectNode answer, String name, String description, String type) {
    ObjectNode header = answer.withObjectProperty("headers").putObject(name);
    header.put("description", description).putObject("schema").put("type", type);
  }

  private static String take(ObjectNode operation, String name, String otherwise) {
    JsonNode value = operation.remove(name);
    return value == null ? otherwise : value.asString();
  }
}
