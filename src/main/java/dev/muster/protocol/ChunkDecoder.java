package dev.muster.protocol;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Decodes UTF-8 from chunks of bytes into chunks of text.
 *
 * <p>A character split over chunks is returned with its last byte. Invalid bytes become U+FFFD. The
 * concatenated text does not depend on the chunk boundaries. Use one decoder per stream; it is not
 * thread-safe.
 */
public final class ChunkDecoder {

  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);

  /** The incomplete start of a character, at most three bytes. */
  private byte[] held = {};

  /** Returns the text that is complete so far; may be empty. */
  public String decode(byte[] bytes) {
    return decode(bytes, 0, bytes.length);
  }

  /** Decodes {@code length} bytes from {@code offset}, like {@link #decode(byte[])}. */
  public String decode(byte[] bytes, int offset, int length) {
    ByteBuffer in = ByteBuffer.allocate(held.length + length);
    in.put(held).put(bytes, offset, length).flip();
    String text = decode(in, false);
    held = new byte[in.remaining()];
    in.get(held);
    return text;
  }

  /** Returns the text of the incomplete bytes and resets the decoder. */
  public String finish() {
    String text = decode(ByteBuffer.wrap(held), true);
    held = new byte[0];
    decoder.reset();
    return text;
  }

  /** Allocates one char per byte, since UTF-8 never decodes to more. */
  private String decode(ByteBuffer in, boolean isEnd) {
    CharBuffer out = CharBuffer.allocate(in.remaining());
    CoderResult ignored = decoder.decode(in, out, isEnd);
    if (isEnd) {
      ignored = decoder.flush(out);
    }
    return out.flip().toString();
  }
}
