package dev.muster.message.store;

import dev.muster.message.NewActivity;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent.Attachment;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sizes of a new row, in bytes.
 *
 * @param request null if there is no such body, as for the next two
 * @param listed the row as lists show it; bounds a page (R6.6)
 * @param whole all of the row; bounds its feed (R6.7a)
 */
public record RowSize(
    @Nullable Integer request,
    @Nullable Integer response,
    @Nullable Integer toolTrace,
    int listed,
    long whole) {

  /** Largest body that lists show, in bytes; a larger one is shown as its size. */
  public static final int MAX_BODY_BYTES = 256 * 1024;

  /** The bytes at which a page ends, unless it has no row yet. */
  public static final long MAX_PAGE_BYTES = 8L << 20;

  private static final int NAMES_AND_IDS = 700;
  private static final int NAMES_OF_ATTACHMENT = 60;

  public static RowSize of(NewActivity row) {
    @Nullable Integer request = bytes(row.bodies().request());
    @Nullable Integer response = bytes(row.bodies().response());
    @Nullable Integer toolTrace = bytes(row.bodies().toolTrace());
    long others = withoutBodies(row);
    long listed = others + listed(request) + listed(response) + listed(toolTrace);
    return new RowSize(
        request,
        response,
        toolTrace,
        (int) Math.min(listed, Integer.MAX_VALUE),
        others + orZero(request) + orZero(response) + orZero(toolTrace));
  }

  private static long orZero(@Nullable Integer bytes) {
    return bytes == null ? 0 : bytes;
  }

  /** Returns the bytes of everything except the bodies. */
  private static long withoutBodies(NewActivity row) {
    long bytes = NAMES_AND_IDS;
    bytes += inJson(row.method()) + inJson(row.summary()) + inJson(row.result().errorDetail());
    bytes += inJson(row.content().text()) + inJson(row.content().messageId());
    bytes += inJson(row.content().delegationId()) + inJson(row.author());
    bytes += row.content().attachments().stream().mapToLong(RowSize::inJson).sum();
    for (Map.Entry<String, String> header : row.headers().entrySet()) {
      bytes += inJson(header.getKey()) + inJson(header.getValue());
    }
    return bytes;
  }

  /** Returns the bytes that a delivery outcome adds to its row. */
  public static int ofOutcome(@Nullable RawJson response, @Nullable String errorDetail) {
    return (int) Math.min(inJson(errorDetail) + listed(bytes(response)), Integer.MAX_VALUE);
  }

  /** Returns the bytes of a body in UTF-8; null if there is none. */
  public static @Nullable Integer bytes(@Nullable RawJson body) {
    return body == null ? null : (int) utf8(body.text());
  }

  /** Returns the approximate size of all that is written. It bounds how much one batch stores. */
  public static long estimate(NewActivity row) {
    return NAMES_AND_IDS
        + row.content().text().length()
        + length(row.bodies().request())
        + length(row.bodies().response())
        + length(row.bodies().toolTrace());
  }

  private static long length(@Nullable RawJson body) {
    return body == null ? 0 : body.text().length();
  }

  /** Returns how many bytes a body takes in a list. 0 if there is none or it is too large. */
  private static long listed(@Nullable Integer bytes) {
    return bytes == null || bytes > MAX_BODY_BYTES ? 0 : bytes;
  }

  private static long utf8(String text) {
    long bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        // half of a surrogate pair has two of the four bytes
        bytes += c >= 0x800 && !Character.isSurrogate(c) ? 2 : 1;
      }
    }
    return bytes;
  }

  /** Returns the bytes of an attachment. It is read with its row even if it is not shown. */
  private static long inJson(Attachment file) {
    return NAMES_OF_ATTACHMENT
        + inJson(file.kind())
        + inJson(file.uri())
        + inJson(file.mimeType())
        + inJson(file.name());
  }

  private static long inJson(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    long bytes = utf8(text);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ') {
        bytes += 5;
      } else if (c == '"' || c == '\\') {
        bytes += 1;
      }
    }
    return bytes;
  }
}
