package dev.muster.protocol.client;

import dev.muster.protocol.LargeJson;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** Checks a body without building a tree, because it may have 64 MiB. */
sealed interface JsonProbe {

  /** One JSON document in UTF-8. */
  record Other() implements JsonProbe {}

  /** A document with an {@code error} that is not null (JSON-RPC 2.0, section 5). */
  record Fault(long code, String message) implements JsonProbe {}

  record NotJson() implements JsonProbe {}

  int MAX_TEXT = 4_096;

  static JsonProbe at(byte[] body) {
    try (JsonParser parser = parser(body)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        return new NotJson();
      }
      JsonProbe found = new Other();
      if (first == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
          boolean isError = parser.currentName().equals("error");
          parser.nextToken();
          if (isError && parser.currentToken() != JsonToken.VALUE_NULL) {
            found = fault(parser);
          } else {
            parser.skipChildren();
          }
        }
      } else {
        parser.skipChildren();
      }
      return parser.nextToken() == null ? found : new NotJson();
    } catch (JacksonException e) {
      return new NotJson();
    }
  }

  private static Fault fault(JsonParser parser) {
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      return new Fault(0, text(parser));
    }
    long code = 0;
    String message = "";
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return new Fault(code, message);
    }
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (name.equals("message") && value == JsonToken.VALUE_STRING) {
        message = text(parser);
      } else if (name.equals("code") && value == JsonToken.VALUE_NUMBER_INT) {
        code = code(parser);
      } else {
        parser.skipChildren();
      }
    }
    return new Fault(code, message);
  }

  /**
   * Returns the error text of a body; empty when it is not JSON.
   *
   * <p>The text is the {@code error}, a string or an object with a {@code message}. Otherwise it is
   * the {@code message} or {@code detail}. For a truncated body, only the part before the cut
   * counts.
   */
  static String errorText(byte[] body) {
    String found = "";
    int rank = 0;
    try (JsonParser parser = parser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return "";
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        int rankHere = rank(parser.currentName());
        JsonToken value = parser.nextToken();
        String text = "";
        if (rankHere > rank && value == JsonToken.VALUE_STRING) {
          text = text(parser);
        } else if (rankHere == rank("error") && value == JsonToken.START_OBJECT) {
          text = fault(parser).message();
        } else {
          parser.skipChildren();
        }
        if (!text.isBlank()) {
          found = text;
          rank = rankHere;
        }
      }
    } catch (JacksonException cutOrNoJson) {
      // the text found so far is returned
    }
    return found;
  }

  private static int rank(String name) {
    return switch (name) {
      case "error" -> 3;
      case "message" -> 2;
      case "detail" -> 1;
      default -> 0;
    };
  }

  private static long code(JsonParser parser) {
    return switch (parser.getNumberType()) {
      case INT, LONG -> parser.getLongValue();
      default -> 0;
    };
  }

  private static String text(JsonParser parser) {
    String text = parser.getString();
    return text.codePointCount(0, text.length()) <= MAX_TEXT
        ? text
        : text.substring(0, text.offsetByCodePoints(0, MAX_TEXT));
  }

  /** Decodes strictly, because a byte-based parser accepts invalid UTF-8. */
  private static JsonParser parser(byte[] body) {
    int start = startsWithByteOrderMark(body) ? 3 : 0;
    Reader text =
        new InputStreamReader(
            new ByteArrayInputStream(body, start, body.length - start),
            StandardCharsets.UTF_8.newDecoder());
    return LargeJson.FACTORY.createParser(ObjectReadContext.empty(), text);
  }

  private static boolean startsWithByteOrderMark(byte[] body) {
    return body.length >= 3
        && body[0] == (byte) 0xEF
        && body[1] == (byte) 0xBB
        && body[2] == (byte) 0xBF;
  }
}
