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

  void feed(byte[] bytes) {
    for (byte b : bytes) {
      boolean lineFeedOfReturn = afterReturn && b == '\n';
      afterReturn = b == '\r';
      if (lineFeedOfReturn) {
        continue;
      }
      if (b == '\n' || b == '\r') {
        endLine();
      } else {
        isLineEmpty = false;
        keep(b);
      }
    }
  }

  private void keep(byte b) {
    if (tooLarge) {
      return;
    }
    if (line.size() + data.size() < granted || growsTo(2 * granted)) {
      line.write(b);
    } else {
      tooLarge = true;
      line = new ByteArrayOutputStream();
      data = new ByteArrayOutputStream();
    }
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
}
