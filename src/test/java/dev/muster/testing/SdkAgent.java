package dev.muster.testing;

import dev.muster.testing.TestPeer.Delivery;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stands for the echo agent of an official A2A SDK, as its documentation starts one: accepts and
 * refuses what that does, with its codes and texts. {@code sdks/probes.json} says what that is;
 * {@code src/test/sdks/run} compares the file with the SDKs, and {@link SdkAgentTest} with this.
 *
 * <p>It answers with a message that repeats the text; a text that begins with "task" is a task with
 * an artifact.
 */
public final class SdkAgent implements PeerBehavior {

  /** An SDK in a major version. */
  public enum Sdk {
    PYTHON("python", Rules.PYTHON, false, true),
    PYTHON_WITH_0_3("python with 0.3", Rules.PYTHON, true, true),
    PYTHON_0_3("python 0.3", Rules.PYTHON_0_3, true, true),
    JAVASCRIPT("javascript", Rules.JAVASCRIPT, false, false),
    ADK("adk", Rules.PYTHON, true, true),
    /** A JSON-RPC server of 0.3 that somebody wrote by hand; no SDK. */
    PLAIN("plain", Rules.PLAIN, true, true);

    private final String name;
    private final Rules rules;
    private final boolean takes03;
    private final boolean saysWorking;

    Sdk(String name, Rules rules, boolean takes03, boolean saysWorking) {
      this.name = name;
      this.rules = rules;
      this.takes03 = takes03;
      this.saysWorking = saysWorking;
    }

    /** Its name in {@code sdks/probes.json}. */
    public String probed() {
      return name;
    }

    /** The card that it serves at this address, without a path. */
    public JsonNode card(String address) {
      if (this == PLAIN) {
        return JSON.createObjectNode().put("name", "Plain").put("url", address + "/");
      }
      return JSON.readTree(PROBES.path("cards").path(name).toString().replace("$URL", address));
    }

    /** Whether its card names 1.0 as the newest version. */
    public boolean speaks10() {
      return rules != Rules.PYTHON_0_3 && rules != Rules.PLAIN;
    }
  }

  private enum Rules {
    PYTHON,
    PYTHON_0_3,
    JAVASCRIPT,
    PLAIN
  }

  /** A message that the agent took. */
  public record Taken(String version, String messageId, String text) {}

  private interface Reply {
    void to(JsonNode request, Taken message) throws IOException;
  }

  private record Refusal(int code, String message) {}

  private static final JsonMapper JSON = JsonMapper.shared();

  /** {@code sdks/probes.json}. */
  static final JsonNode PROBES = probes();

  private static final Set<String> METHODS_0_3 =
      Set.of("message/send", "message/stream", "tasks/get");
  private static final Set<String> METHODS_1_0 =
      Set.of("SendMessage", "SendStreamingMessage", "GetTask");

  private static final Set<String> STREAMING = Set.of("message/stream", "SendStreamingMessage");

  private final Sdk sdk;
  private final List<Taken> taken = new CopyOnWriteArrayList<>();

  public SdkAgent(Sdk sdk) {
    this.sdk = sdk;
  }

  /** The messages that it took, in order; those that it refused are not among them. */
  public List<Taken> taken() {
    return List.copyOf(taken);
  }

  /**
   * Takes and refuses messages as this agent, and answers those that it takes with this: a stream
   * when it is one, else JSON. {@code answer} gets the id of the request as JSON.
   */
  public PeerBehavior answering(int status, UnaryOperator<String> answer) {
    return exchange ->
        act(
            exchange,
            (request, _) -> {
              String body = answer.apply(request.path("id").toString());
              String type = body.startsWith("data:") ? "text/event-stream" : "application/json";
              exchange.answer(
                  status, Map.of("Content-Type", type), body.getBytes(StandardCharsets.UTF_8));
            });
  }

  @Override
  public boolean act(PeerExchange exchange) throws IOException {
    return act(exchange, (request, message) -> answer(exchange, request, message));
  }

  private boolean act(PeerExchange exchange, Reply reply) throws IOException {
    Delivery delivery = exchange.receive();
    @Nullable JsonNode request = parsed(delivery.text());
    @Nullable Refusal refusal = refusal(request, delivery.header("a2a-version"));
    if (request == null || refusal != null) {
      send(exchange, error(request, Objects.requireNonNull(refusal)));
      return true;
    }
    String method = request.path("method").asString();
    JsonNode sent = request.path("params").path("message");
    Taken message =
        new Taken(
            METHODS_1_0.contains(method) ? "1.0" : "0.3",
            sent.path("messageId").asString(),
            text(sent));
    taken.add(message);
    reply.to(request, message);
    return true;
  }

  private void answer(PeerExchange exchange, JsonNode request, Taken message) throws IOException {
    boolean is10 = message.version.equals("1.0");
    if (STREAMING.contains(request.path("method").asString())) {
      stream(exchange, request, events(is10, message.messageId, message.text));
    } else {
      send(exchange, result(request, answer(is10, message.messageId, message.text)));
    }
  }

  private @Nullable Refusal refusal(@Nullable JsonNode request, String version) {
    return switch (sdk.rules) {
      case PYTHON -> python(request, version);
      case PYTHON_0_3 -> python03(request);
      case JAVASCRIPT -> javascript(request, version);
      case PLAIN -> plain(request);
    };
  }

  private @Nullable Refusal python(@Nullable JsonNode request, String version) {
    if (request == null) {
      return PYTHON_NO_JSON;
    }
    if (!request.has("jsonrpc")) {
      return new Refusal(-32600, "Invalid Request");
    }
    String method = request.path("method").asString();
    if (sdk.takes03 && METHODS_0_3.contains(method)) {
      if (!method.equals("tasks/get") && !isMessage03(request)) {
        return new Refusal(-32600, "Invalid Request");
      }
      if (!version.isEmpty() && !version.startsWith("0.")) {
        return new Refusal(-32603, otherVersion(version, "0.3"));
      }
    } else if (!METHODS_1_0.contains(method)) {
      return new Refusal(-32601, "Method not found");
    } else if (!version.startsWith("1.")) {
      return new Refusal(-32009, otherVersion(version.isEmpty() ? "0.3" : version, "1.0"));
    } else if (!method.equals("GetTask") && !isMessage10(request)) {
      return new Refusal(-32602, "Validation failed");
    }
    return method.contains("essage") ? null : new Refusal(-32001, "Task not found");
  }

  private static @Nullable Refusal python03(@Nullable JsonNode request) {
    if (request == null) {
      return PYTHON_NO_JSON;
    }
    String method = request.path("method").asString();
    if (!METHODS_0_3.contains(method)) {
      return new Refusal(-32601, "Method not found");
    }
    if (!request.has("jsonrpc") || (!method.equals("tasks/get") && !isMessage03(request))) {
      return new Refusal(-32602, "Invalid parameters");
    }
    return method.equals("tasks/get") ? new Refusal(-32001, "Task not found") : null;
  }

  private static @Nullable Refusal javascript(@Nullable JsonNode request, String version) {
    if (request == null) {
      return new Refusal(-32700, "Invalid JSON payload.");
    }
    if (!version.equals("1.0")) {
      return new Refusal(
          -32009,
          "The requested A2A protocol version '%s' is not supported. Supported versions: 1.0"
              .formatted(version.isEmpty() ? "0.3" : version));
    }
    if (!request.has("jsonrpc")) {
      return new Refusal(-32602, "Invalid JSON-RPC Request.");
    }
    String method = request.path("method").asString();
    if (!METHODS_1_0.contains(method)) {
      return new Refusal(-32601, "Invalid method.");
    }
    if (method.equals("GetTask")) {
      return new Refusal(-32001, "Task not found: " + request.path("params").path("id").asString());
    }
    return request.path("params").path("message").has("messageId")
        ? null
        : new Refusal(-32602, "message.messageId is required.");
  }

  private static @Nullable Refusal plain(@Nullable JsonNode request) {
    return request != null && request.path("method").asString("").startsWith("message/")
        ? null
        : new Refusal(-32601, "no such method");
  }

  private static final Refusal PYTHON_NO_JSON =
      new Refusal(
          -32700, "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)");

  private static String otherVersion(String sent, String expected) {
    return "A2A version '%s' is not supported by this handler. Expected version '%s'."
        .formatted(sent, expected);
  }

  private static boolean isMessage03(JsonNode request) {
    JsonNode message = request.path("params").path("message");
    return message.has("messageId")
        && message.has("parts")
        && Set.of("user", "agent").contains(message.path("role").asString(""));
  }

  private static boolean isMessage10(JsonNode request) {
    JsonNode message = request.path("params").path("message");
    return message.has("messageId")
        && !message.path("parts").isEmpty()
        && Set.of("ROLE_USER", "ROLE_AGENT").contains(message.path("role").asString(""));
  }

  private static String text(JsonNode message) {
    StringBuilder text = new StringBuilder();
    message.path("parts").forEach(part -> text.append(part.path("text").asString("")));
    return text.toString();
  }

  private ObjectNode answer(boolean is10, String messageId, String text) {
    return isTask(text)
        ? named(is10, "task", task(is10, "completed", said(messageId, text)))
        : named(is10, "message", message(is10, said(messageId, text)));
  }

  private List<ObjectNode> events(boolean is10, String messageId, String text) {
    if (!isTask(text)) {
      return List.of(answer(is10, messageId, text));
    }
    String said = said(messageId, text);
    List<ObjectNode> events = new ArrayList<>();
    events.add(named(is10, "task", task(is10, "submitted", null)));
    if (sdk.saysWorking) {
      events.add(status(is10, "working", null));
    }
    if (sdk == Sdk.ADK) {
      events.add(status(is10, "working", said));
    }
    ObjectNode artifact = update();
    artifact.set("artifact", artifact(is10, said));
    events.add(named(is10, is10 ? "artifactUpdate" : "artifact-update", artifact));
    events.add(status(is10, "completed", null));
    return events;
  }

  private boolean isTask(String text) {
    return sdk == Sdk.ADK || text.startsWith("task");
  }

  private String said(String messageId, String text) {
    return sdk == Sdk.ADK ? "echo: " + text : "echo of " + messageId + ": " + text;
  }

  private static ObjectNode named(boolean is10, String kind, ObjectNode content) {
    if (!is10) {
      return content.put("kind", kind);
    }
    ObjectNode named = JSON.createObjectNode();
    named.set(kind, content);
    return named;
  }

  private static ObjectNode message(boolean is10, String text) {
    ObjectNode message = JSON.createObjectNode().put("messageId", "an answer's id");
    message.put("role", is10 ? "ROLE_AGENT" : "agent");
    return withText(is10, message, text);
  }

  private static ObjectNode task(boolean is10, String state, @Nullable String text) {
    ObjectNode task = JSON.createObjectNode().put("id", "t-1").put("contextId", "c-1");
    task.putObject("status").put("state", stateOf(is10, state));
    if (text != null) {
      task.putArray("artifacts").add(artifact(is10, text));
    }
    return task;
  }

  private static ObjectNode artifact(boolean is10, String text) {
    return withText(is10, JSON.createObjectNode().put("artifactId", "a-1"), text);
  }

  private static ObjectNode status(boolean is10, String state, @Nullable String text) {
    ObjectNode update = update();
    ObjectNode status = update.putObject("status").put("state", stateOf(is10, state));
    if (text != null) {
      status.set("message", message(is10, text));
    }
    return named(is10, is10 ? "statusUpdate" : "status-update", update);
  }

  private static ObjectNode update() {
    return JSON.createObjectNode().put("taskId", "t-1").put("contextId", "c-1");
  }

  private static ObjectNode withText(boolean is10, ObjectNode node, String text) {
    ObjectNode part = node.putArray("parts").addObject();
    if (!is10) {
      part.put("kind", "text");
    }
    part.put("text", text);
    return node;
  }

  private static String stateOf(boolean is10, String state) {
    return is10 ? "TASK_STATE_" + state.toUpperCase(Locale.ROOT) : state;
  }

  private static ObjectNode result(JsonNode request, ObjectNode result) {
    ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
    answer.set("id", request.path("id"));
    answer.set("result", result);
    return answer;
  }

  private static ObjectNode error(@Nullable JsonNode request, Refusal refusal) {
    ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
    if (request == null || !request.has("id")) {
      answer.putNull("id");
    } else {
      answer.set("id", request.path("id"));
    }
    answer.putObject("error").put("code", refusal.code).put("message", refusal.message);
    return answer;
  }

  private static void stream(PeerExchange exchange, JsonNode request, List<ObjectNode> events)
      throws IOException {
    StringBuilder body = new StringBuilder();
    for (ObjectNode event : events) {
      body.append("data: ").append(result(request, event)).append("\n\n");
    }
    exchange.answer(
        200,
        Map.of("Content-Type", "text/event-stream"),
        body.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void send(PeerExchange exchange, ObjectNode answer) throws IOException {
    exchange.answer(
        200, Map.of("Content-Type", "application/json"), JSON.writeValueAsBytes(answer));
  }

  private static @Nullable JsonNode parsed(String text) {
    try {
      return JSON.readTree(text);
    } catch (JacksonException e) {
      return null;
    }
  }

  private static JsonNode probes() {
    try (InputStream file = SdkAgent.class.getResourceAsStream("/sdks/probes.json")) {
      return JSON.readTree(Objects.requireNonNull(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
