package dev.muster.protocol.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Arrays;
import okhttp3.ResponseBody;

/**
 * Reads a body whole, and takes room for it as it comes: a peer may promise what it never sends.
 */
final class WholeBody {

  private static final int BEGINNING = 8 * 1024;

  private final Attempt attempt;

  WholeBody(Attempt attempt) {
    this.attempt = attempt;
  }

  /** Of a body with more than {@code most} bytes, one more than that. */
  byte[] read(ResponseBody body, int most) throws IOException {
    long declared = body.contentLength();
    int end = declared < 0 ? most + 1 : (int) Math.min(declared, most + 1L);
    InputStream in = body.byteStream();
    byte[] buffer = new byte[Math.min(end, declared < 0 ? BEGINNING : AnswerBudget.FREE)];
    int length = in.readNBytes(buffer, 0, buffer.length);
    while (length == buffer.length && length < end) {
      int larger = (int) Math.min(end, 2L * buffer.length);
      makeRoom(counted(larger) - counted(buffer.length));
      buffer = Arrays.copyOf(buffer, larger);
      length += in.readNBytes(buffer, length, larger - length);
    }
    return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
  }

  private static long counted(int bytes) {
    return Math.max(0, bytes - AnswerBudget.FREE);
  }

  private void makeRoom(long bytes) throws InterruptedIOException {
    if (bytes == 0) {
      return;
    }
    attempt.reach(Phase.WAITING_FOR_ROOM);
    try {
      attempt.space().take(bytes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
    attempt.reach(Phase.READING);
  }
}
