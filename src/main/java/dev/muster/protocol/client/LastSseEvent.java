package dev.muster.protocol.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the data of the last complete event of a stream (HTML standard, section 9.2).
 *
 * <p>Input may be split at any byte.
 */
final class LastSseEvent {

  private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_BYTES = 1024 * 1024;
  private static final int FREE_BYTES = 64 * 1024;

  /** Counts four copies: the current line, a copy of it, the event's data, and the last event. */
  private static final int COPIES = 4;

  private final LongPredicate memory;
  private ByteArrayOutputStream line = new ByteArrayOutputStream();
  private ByteArrayOutputStream data = new ByteArrayOutputStream();
  private int granted = FREE_BYTES;
  private boolean hasData;
  private boolean isLineEmpty = true;
  private boolean tooLarge;
  private boolean afterReturn;
  private byte @Nullable [] last;

  /** Creates a reader; {@code memory} returns whether so many more bytes may be kept. */
  LastSseEvent(LongPredicate memory) {
    this.memory = memory;
  }

  /**
   * Reads a part of the stream. Finds the ends of lines by {@code String.indexOf}, since a loop
   * over bytes in code that is not compiled yet occupies all processors with a few quick streams.
   */
  void feed(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int from = afterReturn && text.startsWith("\n") ? 1 : 0;
    int lineFeed = -1;
    while (from < bytes.length) {
      if (lineFeed < from) {
        lineFeed = orElse(text.indexOf('\n', from), bytes.length);
      }
      int end = orElse(text.indexOf('\r', from, lineFeed), lineFeed);
      if (end > from) {
        isLineEmpty = false;
        keep(bytes, from, end);
      }
      if (end < bytes.length) {
        endLine();
      }
      from = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    }
    if (bytes.length > 0) {
      afterReturn = text.endsWith("\r");
    }
  }

  private void keep(byte[] bytes, int from, int end) {
    if (tooLarge) {
      return;
    }
    int length = end - from;
    while (line.size() + data.size() + length > granted) {
      if (!growsTo(2 * granted)) {
        tooLarge = true;
        line = new ByteArrayOutputStream();
        data = new ByteArrayOutputStream();
        return;
      }
    }
    line.write(bytes, from, length);
  }

  private boolean growsTo(int larger) {
    if (larger > MAX_BYTES || !memory.test((long) COPIES * (larger - granted))) {
      return false;
    }
    granted = larger;
    return true;
  }

  /** Returns the data; empty without an event, above 1 MiB, or without memory for it. */
  Optional<byte[]> last() {
    return Optional.ofNullable(last);
  }

  private void endLine() {
    if (isLineEmpty) {
      endEvent();
    } else if (!tooLarge) {
      byte[] whole = line.toByteArray();
      line.reset();
      addData(whole);
    }
    isLineEmpty = true;
  }

  private void addData(byte[] field) {
    for (int i = 0; i < DATA.length; i++) {
      if (i >= field.length || field[i] != DATA[i]) {
        return;
      }
    }
    int start = DATA.length;
    if (field.length > start) {
      if (field[start] != ':') {
        return;
      }
      start += field.length > start + 1 && field[start + 1] == ' ' ? 2 : 1;
    }
    if (hasData) {
      data.write('\n');
    }
    hasData = true;
    data.write(field, start, field.length - start);
  }

  private void endEvent() {
    if (tooLarge) {
      last = null;
    } else if (hasData) {
      last = data.toByteArray();
      data = new ByteArrayOutputStream();
    }
    hasData = false;
    tooLarge = false;
  }

  private static int orElse(int index, int other) {
    return index < 0 ? other : index;
  }
}
