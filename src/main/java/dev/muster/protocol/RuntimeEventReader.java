package dev.muster.protocol;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStderr;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.protocol.RuntimeEvent.UndecodableEventException;
import java.math.BigInteger;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads envelopes strictly: rejects a missing field or one of another type. */
final class RuntimeEventReader {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final String TYPES =
      "RuntimeStart, RuntimeStdout, RuntimeStderr, RuntimeEnd or RuntimeError";

  private static final BigInteger MIN_INT = BigInteger.valueOf(Integer.MIN_VALUE);
  private static final BigInteger MAX_INT = BigInteger.valueOf(Integer.MAX_VALUE);
  private static final int SHOWN_OF_A_BAD_VALUE = 60;

  private RuntimeEventReader() {}

  static RuntimeEvent read(String envelope) {
    JsonNode parsed;
    try {
      parsed = JSON.readTree(envelope);
    } catch (JacksonException e) {
      throw new UndecodableEventException("not valid JSON: " + InvalidJson.reason(e));
    }
    return read(parsed);
  }

  static RuntimeEvent read(JsonNode envelope) {
    if (!envelope.isObject()) {
      throw wrong("the event", envelope, "an object with type and payload");
    }
    JsonNode type = envelope.path("type");
    JsonNode payload = envelope.path("payload");
    return switch (type.isString() ? type.stringValue() : "") {
      case "RuntimeStart" ->
          new RuntimeStart(
              text(payload, "task_name"), text(payload, "runtime_name"), text(payload, "language"));
      case "RuntimeStdout" -> new RuntimeStdout(text(payload, "task_name"), text(payload, "chunk"));
      case "RuntimeStderr" -> new RuntimeStderr(text(payload, "task_name"), text(payload, "chunk"));
      case "RuntimeEnd" ->
          new RuntimeEnd(
              text(payload, "task_name"),
              whole(payload, "exit_code", MIN_INT, MAX_INT).intValueExact(),
              whole(payload, "duration_ms", BigInteger.ZERO, RuntimeEnd.MAX_MS));
      case "RuntimeError" ->
          new RuntimeError(
              text(payload, "task_name"), text(payload, "kind"), text(payload, "message"));
      default -> throw wrong("type", type, TYPES);
    };
  }

  private static String text(JsonNode payload, String name) {
    JsonNode value = field(payload, name);
    if (!value.isString()) {
      throw wrong("payload." + name, value, "a text");
    }
    return value.stringValue();
  }

  private static BigInteger whole(JsonNode payload, String name, BigInteger min, BigInteger max) {
    JsonNode value = field(payload, name);
    return WholeNumber.of(value)
        .filter(number -> number.compareTo(min) >= 0 && number.compareTo(max) <= 0)
        .orElseThrow(() -> wrong("payload." + name, value, "a whole number, " + min + ".." + max));
  }

  private static JsonNode field(JsonNode payload, String name) {
    if (!payload.isObject()) {
      throw wrong("payload", payload, "an object");
    }
    return payload.path(name);
  }

  private static UndecodableEventException wrong(String what, JsonNode value, String expected) {
    String found = value.isMissingNode() ? " is missing" : ": " + shown(value);
    return new UndecodableEventException(what + found + " (expected: " + expected + ")");
  }

  private static String shown(JsonNode value) {
    if (value.isContainer()) {
      return value.isArray() ? "an array" : "an object";
    }
    String text = value.toString();
    int end = Math.min(text.length(), SHOWN_OF_A_BAD_VALUE);
    return text.substring(0, text.offsetByCodePoints(0, text.codePointCount(0, end)));
  }
}
