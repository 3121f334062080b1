package dev.muster.protocol;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Makes chunks of text of the chunks of bytes that a process writes, as UTF-8: a character that is
 * split over chunks comes whole with its last byte, and what is no UTF-8 becomes U+FFFD. All texts
 * together are the same however the bytes are cut. One for each stream; not thread-safe.
 */
public final class ChunkDecoder {

  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);

  /** The beginning of a character: at most three bytes. */
  private byte[] held = {};

  /** What can be told by now; may be empty. */
  public String decode(byte[] bytes) {
    return decode(bytes, 0, bytes.length);
  }

  /** As above, of {@code length} bytes from {@code offset} on. */
  public String decode(byte[] bytes, int offset, int length) {
    ByteBuffer in = ByteBuffer.allocate(held.length + length);
    in.put(held).put(bytes, offset, length).flip();
    String text = decode(in, false);
    held = new byte[in.remaining()];
    in.get(held);
    return text;
  }

  /** What is held back, now that no byte will complete it; the decoder begins anew. */
  public String finish() {
    String text = decode(ByteBuffer.wrap(held), true);
    held = new byte[0];
    decoder.reset();
    return text;
  }

  /** One byte is one char at most. */
  private String decode(ByteBuffer in, boolean isEnd) {
    CharBuffer out = CharBuffer.allocate(in.remaining());
    var _ = decoder.decode(in, out, isEnd);
    if (isEnd) {
      var _ = decoder.flush(out);
    }
    return out.flip().toString();
  }
}
