package dev.muster.protocol.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the data of the last whole event of a stream (HTML standard, section 9.2), fed in
 * pieces of any size.
 */
final class SseTail {

  private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);
  private static final int MOST_BYTES = 16 * 1024 * 1024;

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private ByteArrayOutputStream data = new ByteArrayOutputStream();
  private boolean hasData;
  private boolean tooLarge;
  private boolean afterReturn;
  private byte @Nullable [] last;

  void feed(byte[] bytes) {
    for (byte b : bytes) {
      boolean lineFeedOfReturn = afterReturn && b == '\n';
      afterReturn = b == '\r';
      if (lineFeedOfReturn) {
        continue;
      }
      if (b == '\n' || b == '\r') {
        endLine();
      } else if (line.size() + data.size() < MOST_BYTES) {
        line.write(b);
      } else {
        tooLarge = true;
      }
    }
  }

  /** Empty when there was none, or when it is larger than 16 MiB. */
  Optional<byte[]> last() {
    return Optional.ofNullable(last);
  }

  private void endLine() {
    if (line.size() == 0) {
      endEvent();
    } else {
      byte[] whole = line.toByteArray();
      line.reset();
      addData(whole);
    }
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
    if (hasData) {
      last = tooLarge ? null : data.toByteArray();
      data = new ByteArrayOutputStream();
    }
    hasData = false;
    tooLarge = false;
  }
}
