package dev.muster.protocol;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Translates a request of A2A 0.3 that sends a message to 1.0, and its answer back. Members that
 * are the same in both, and unknown ones, pass unchanged. No object that is passed in is changed.
 */
public final class A2aTranslation {

  private static final String STATE = "TASK_STATE_";
  private static final String ROLE = "ROLE_";
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private A2aTranslation() {}

  /** Returns the request {@code message/send} as {@code SendMessage}. */
  public static ObjectNode requestTo1(ObjectNode request) {
    ObjectNode translated = copy(request).put("method", A2aMethod.SEND.name(A2aVersion.V1_0));
    ObjectNode params = changed(translated, "params", A2aTranslation::copy);
    changed(params, "message", A2aTranslation::messageTo1);
    changed(params, "configuration", A2aTranslation::configurationTo1);
    return translated;
  }

  /** Returns a message of an agent, which may have the form of any version, in that of this one. */
  public static ObjectNode messageOfAgent(ObjectNode message, A2aVersion version) {
    ObjectNode ofAgent = copy(message).put("role", "agent");
    return version == A2aVersion.V1_0 ? messageTo1(ofAgent) : messageTo03(ofAgent);
  }

  private static ObjectNode messageTo1(ObjectNode message) {
    ObjectNode translated = copy(message);
    translated.remove("kind");
    String role = message.path("role").asString("");
    if (Set.of("user", "agent").contains(role)) {
      translated.put("role", ROLE + role.toUpperCase(Locale.ROOT));
    }
    return withEach(translated, "parts", A2aTranslation::partTo1);
  }

  private static ObjectNode partTo1(ObjectNode part) {
    ObjectNode translated = copy(part);
    translated.remove("kind");
    if (part.get("file") instanceof ObjectNode file) {
      translated.remove("file");
      rename(file, "bytes", translated, "raw");
      rename(file, "uri", translated, "url");
      rename(file, "mimeType", translated, "mediaType");
      rename(file, "name", translated, "filename");
    }
    return translated;
  }

  private static ObjectNode configurationTo1(ObjectNode configuration) {
    ObjectNode translated = copy(configuration);
    JsonNode blocking = translated.remove("blocking");
    if (blocking != null && blocking.isBoolean()) {
      translated.put("returnImmediately", !blocking.booleanValue());
    }
    if (translated.remove("pushNotificationConfig") instanceof ObjectNode push) {
      ObjectNode flat = copy(push);
      if (push.get("authentication") instanceof ObjectNode authentication) {
        ObjectNode one = copy(authentication);
        JsonNode schemes = one.remove("schemes");
        if (schemes != null && !schemes.isEmpty()) {
          one.set("scheme", schemes.get(0));
        }
        flat.set("authentication", one);
      }
      translated.set("taskPushNotificationConfig", flat);
    }
    return translated;
  }

  /** Returns the answer to {@code SendMessage} as one to {@code message/send}. */
  public static ObjectNode answerTo03(ObjectNode answer) {
    ObjectNode translated = copy(answer);
    if (answer.path("result").get("task") instanceof ObjectNode task) {
      translated.set("result", taskTo03(task));
    } else if (answer.path("result").get("message") instanceof ObjectNode message) {
      translated.set("result", messageTo03(message));
    }
    return translated;
  }

  private static ObjectNode taskTo03(ObjectNode task) {
    ObjectNode translated = copy(task).put("kind", "task");
    ObjectNode status = changed(translated, "status", A2aTranslation::copy);
    String state = status.path("state").asString("");
    if (state.startsWith(STATE)) {
      String plain = state.substring(STATE.length()).toLowerCase(Locale.ROOT).replace('_', '-');
      status.put("state", plain.equals("unspecified") ? "unknown" : plain);
    }
    changed(status, "message", A2aTranslation::messageTo03);
    withEach(translated, "history", A2aTranslation::messageTo03);
    return withEach(
        translated,
        "artifacts",
        artifact -> withEach(copy(artifact), "parts", A2aTranslation::partTo03));
  }

  private static ObjectNode messageTo03(ObjectNode message) {
    ObjectNode translated = copy(message).put("kind", "message");
    String role = message.path("role").asString("");
    if (role.startsWith(ROLE)) {
      translated.put("role", role.substring(ROLE.length()).toLowerCase(Locale.ROOT));
    }
    return withEach(translated, "parts", A2aTranslation::partTo03);
  }

  private static ObjectNode partTo03(ObjectNode part) {
    ObjectNode translated = copy(part);
    if (part.has("kind")) {
      return translated;
    }
    if (part.has("text")) {
      return translated.put("kind", "text");
    }
    if (part.has("data")) {
      if (!part.path("data").isObject()) { // 0.3 knows objects only
        translated.putObject("data").set("value", part.get("data"));
      }
      return translated.put("kind", "data");
    }
    if (part.has("raw") || part.has("url")) {
      ObjectNode file = NODES.objectNode();
      rename(part, "raw", file, "bytes");
      rename(part, "url", file, "uri");
      rename(part, "mediaType", file, "mimeType");
      rename(part, "filename", file, "name");
      translated.remove(List.of("raw", "url", "mediaType", "filename"));
      translated.put("kind", "file").set("file", file);
    }
    return translated;
  }

  private static ObjectNode copy(ObjectNode object) {
    return NODES.objectNode().setAll(object);
  }

  /** Sets a member of {@code from}, if it is there, under another name. */
  private static void rename(ObjectNode from, String name, ObjectNode to, String newName) {
    JsonNode value = from.get(name);
    if (value != null) {
      to.set(newName, value);
    }
  }

  /** Replaces a member that is an object, and returns it; a new object if there is none. */
  private static ObjectNode changed(
      ObjectNode holder, String name, UnaryOperator<ObjectNode> change) {
    if (!(holder.get(name) instanceof ObjectNode object)) {
      return NODES.objectNode();
    }
    ObjectNode changed = change.apply(object);
    holder.set(name, changed);
    return changed;
  }

  /** Replaces each object of an array, if that is one. */
  private static ObjectNode withEach(
      ObjectNode holder, String name, UnaryOperator<ObjectNode> change) {
    if (holder.get(name) instanceof ArrayNode array) {
      ArrayNode changed = NODES.arrayNode(array.size());
      array.forEach(
          one -> changed.add(one instanceof ObjectNode object ? change.apply(object) : one));
      holder.set(name, changed);
    }
    return holder;
  }
}
