package dev.muster.attack;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates hostile values, and bodies with some of them; pure functions of their random generator.
 */
final class Mutations {

  private static final String PLACE = "the place of a hostile value";
  private static final int DEEP = 20_000;

  private Mutations() {}

  static <T> T oneOf(List<T> values, RandomGenerator random) {
    return values.get(random.nextInt(values.size()));
  }

  /** A text for a path or a query, mostly valid there. */
  static String text(RandomGenerator random) {
    if (random.nextInt(4) > 0) {
      return oneOf(random.nextInt(10) == 0 ? HostileValues.LONG_TEXTS : HostileValues.TEXTS, random)
          .replace(" ", "%20");
    }
    byte[] bytes = new byte[1 + random.nextInt(20)];
    random.nextBytes(bytes);
    return URLEncoder.encode(
        new String(bytes, StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
  }

  static String header(RandomGenerator random) {
    return oneOf(HostileValues.HEADERS, random) + ": " + headerValue(random);
  }

  static String headerValue(RandomGenerator random) {
    return oneOf(
        random.nextInt(10) == 0 ? HostileValues.LONG_TEXTS : HostileValues.HEADER_VALUES, random);
  }

  /** An example with one to three hostile values, or other bytes. */
  static byte[] body(@Nullable JsonNode example, List<String> fields, RandomGenerator random) {
    if (example == null || random.nextInt(12) == 0) {
      return bytes(jsonValue(random));
    }
    String json = example.toString();
    int kind = random.nextInt(20);
    return switch (kind) {
      case 0 -> bytes(json.substring(0, random.nextInt(json.length())));
      case 1 -> bytes(json + json);
      case 2 -> withBadBytes(json, random);
      case 3 -> bytes("[".repeat(DEEP) + "]".repeat(random.nextBoolean() ? DEEP : 0));
      case 4 -> bytes("{\"a\":".repeat(DEEP) + "1" + "}".repeat(DEEP));
      case 5 -> bytes("\uFEFF" + json);
      case 6 ->
          json.getBytes(random.nextBoolean() ? StandardCharsets.UTF_16 : StandardCharsets.UTF_16LE);
      case 7 -> bytes(json.replace("{", "{\"id\":1e400,\"id\":[],"));
      case 8 -> bytes(json);
      default -> bytes(mutated(example, fields, 1 + random.nextInt(3), random));
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] withBadBytes(String json, RandomGenerator random) {
    byte[] whole = bytes(json);
    int at = random.nextInt(whole.length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(whole, 0, at);
    out.writeBytes(
        random.nextBoolean() ? new byte[] {(byte) 0xff, (byte) 0xc0, (byte) 0x80} : new byte[] {0});
    out.writeBytes(Arrays.copyOfRange(whole, at, whole.length));
    return out.toByteArray();
  }

  private static String mutated(
      JsonNode example, List<String> fields, int changes, RandomGenerator random) {
    JsonNode copy = example.deepCopy();
    for (int i = 0; i < changes; i++) {
      List<Runnable> places = places(copy, random.nextBoolean() ? fields : List.of());
      if (!places.isEmpty()) {
        oneOf(places, random).run();
      }
    }
    return filled(copy, () -> jsonValue(random));
  }

  private static String jsonValue(RandomGenerator random) {
    return oneOf(random.nextInt(8) == 0 ? HostileValues.LONG_JSON : HostileValues.JSON, random);
  }

  /** The number of places for {@link #probe}. */
  static int countPlaces(JsonNode example, List<String> fields) {
    return places(example.deepCopy(), fields).size();
  }

  /** An example with one value in one place, and otherwise valid. */
  static byte[] probe(JsonNode example, List<String> fields, int place, String value) {
    JsonNode copy = example.deepCopy();
    places(copy, fields).get(place).run();
    return bytes(filled(copy, () -> value));
  }

  private static String filled(JsonNode copy, Supplier<String> values) {
    String json = copy.toString();
    String quoted = "\"" + PLACE + "\"";
    for (int at = json.indexOf(quoted); at >= 0; at = json.indexOf(quoted)) {
      json = json.substring(0, at) + values.get() + json.substring(at + quoted.length());
    }
    return json;
  }

  /**
   * Actions that put a hostile value in the place of a field or element, or add one of these fields
   * to an object, at any depth.
   */
  private static List<Runnable> places(JsonNode node, List<String> fields) {
    List<Runnable> places = new ArrayList<>();
    if (node instanceof ObjectNode object) {
      for (var field : object.properties()) {
        places.add(() -> object.put(field.getKey(), PLACE));
        places.addAll(places(field.getValue(), fields));
      }
      for (String field : fields) {
        if (!object.has(field)) {
          places.add(() -> object.put(field, PLACE));
        }
      }
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        int index = i;
        places.add(() -> array.set(index, array.stringNode(PLACE)));
        places.addAll(places(array.get(i), fields));
      }
    }
    return places;
  }
}
