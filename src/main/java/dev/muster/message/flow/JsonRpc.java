package dev.muster.message.flow;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.LargeJson;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Builds JSON-RPC 2.0 responses, and gives a stored one to another request. */
public final class JsonRpc {

  /** A failure that is no fault of the request. */
  public static final int INTERNAL_ERROR = -32603;

  /** The members that a JSON-RPC response has beside its id, and hardly another document. */
  private static final Set<String> MEMBERS = Set.of("jsonrpc", "result", "error");

  private static final String BYTE_ORDER_MARK = "\uFEFF";
  private static final String DATA = "data: ";

  private JsonRpc() {}

  /**
   * Builds an error response.
   *
   * @param id the id of the request; JSON null for a request without one
   * @param data more about the error; null for nothing
   */
  public static ObjectNode error(JsonNode id, int code, String message, @Nullable JsonNode data) {
    ObjectNode response = response(id);
    ObjectNode error = response.putObject("error").put("code", code).put("message", message);
    if (data != null) {
      error.set("data", data);
    }
    return response;
  }

  private static ObjectNode response(JsonNode id) {
    ObjectNode response = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
    response.set("id", id);
    return response;
  }

  static ObjectNode result(JsonNode id, JsonNode result) {
    ObjectNode response = response(id);
    response.set("result", result);
    return response;
  }

  /** Returns the response as one server-sent event. */
  public static byte[] event(RawJson response) {
    // JSON has line ends only between its values
    String line = response.text().replace('\n', ' ').replace('\r', ' ');
    return (DATA + line + "\n\n").getBytes(UTF_8);
  }

  /**
   * Returns a stored response with the id of the request at hand. It is a document, or an {@link
   * #event}. One that is no JSON-RPC response, or has no id, is returned unchanged, as is one with
   * that id.
   *
   * <p>It may have 64 MiB. So it is read token by token, only until the id is found, and is copied
   * once.
   */
  static byte[] withId(byte[] stored, JsonNode id) {
    String start = new String(stored, 0, Math.min(stored.length, DATA.length()), UTF_8);
    int skipped =
        start.equals(DATA)
            ? DATA.length()
            : start.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.getBytes(UTF_8).length : 0;
    @Nullable Place place = placeOfId(stored, skipped);
    if (place == null) {
      return stored;
    }
    int from = byteAt(stored, skipped, place.from());
    int to = byteAt(stored, from, place.to() - place.from());
    byte[] own = LosslessJson.write(id).text().getBytes(UTF_8);
    if (Arrays.equals(own, 0, own.length, stored, from, to)) {
      return stored;
    }
    byte[] changed = new byte[stored.length - (to - from) + own.length];
    System.arraycopy(stored, 0, changed, 0, from);
    System.arraycopy(own, 0, changed, from, own.length);
    System.arraycopy(stored, to, changed, from + own.length, stored.length - to);
    return changed;
  }

  /** Where a value begins and ends, in characters from the begin of the document. */
  private record Place(long from, long to) {}

  private static @Nullable Place placeOfId(byte[] utf8, int start) {
    @Nullable Place id = null;
    boolean isResponse = false;
    // A parser of bytes would refuse names with escaped lone surrogates.
    try (JsonParser parser =
        LargeJson.FACTORY.createParser(
            ObjectReadContext.empty(),
            new InputStreamReader(
                new ByteArrayInputStream(utf8, start, utf8.length - start), UTF_8))) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      while ((id == null || !isResponse) && parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        isResponse |= MEMBERS.contains(name);
        parser.nextToken();
        if (name.equals("id") && parser.currentToken().isScalarValue()) {
          long from = parser.currentTokenLocation().getCharOffset();
          parser.finishToken();
          id = new Place(from, parser.currentLocation().getCharOffset());
        } else {
          parser.skipChildren();
        }
      }
      return isResponse ? id : null;
    } catch (JacksonException notJson) {
      return null;
    }
  }

  /** Returns the index that is {@code characters} UTF-16 characters after {@code from}. */
  private static int byteAt(byte[] utf8, int from, long characters) {
    int at = from;
    for (long left = characters; left > 0; at++) {
      int lead = utf8[at] & 0xff;
      if (lead < 0x80 || lead >= 0xc0) {
        left -= lead >= 0xf0 ? 2 : 1;
      }
    }
    while (at < utf8.length && (utf8[at] & 0xc0) == 0x80) {
      at++; // the rest of the last character
    }
    return at;
  }
}
