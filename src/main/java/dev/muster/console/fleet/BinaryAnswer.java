package dev.muster.console.fleet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/** A response in a binary format, plain and compressed for clients that accept gzip. */
@SuppressWarnings("ArrayRecordComponent") // several MiB: passed on, never compared
public record BinaryAnswer(byte[] plain, byte[] gzip) {

  /**
   * Compresses fast, and leaves out the random bytes from {@code randomFrom} to {@code randomTo},
   * which take half of the time and do not compress.
   */
  static BinaryAnswer of(byte[] bytes, int randomFrom, int randomTo) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 2 + 64);
    try (FastGzip gzip = new FastGzip(out)) {
      gzip.write(Deflater.BEST_SPEED, bytes, 0, randomFrom);
      gzip.write(Deflater.NO_COMPRESSION, bytes, randomFrom, randomTo);
      gzip.write(Deflater.BEST_SPEED, bytes, randomTo, bytes.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new BinaryAnswer(bytes, out.toByteArray());
  }

  int size() {
    return plain.length + gzip.length;
  }

  /** Sends the response; the caller has set its caching headers. */
  public void send(HttpServletRequest request, HttpServletResponse response) throws IOException {
    response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
    byte[] body = plain;
    if (isNamed(request, HttpHeaders.ACCEPT_ENCODING, "gzip")) {
      response.setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
      body = gzip;
    }
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** Returns whether a header lists a value; it ignores weights and marks of weak validators. */
  static boolean isNamed(HttpServletRequest request, String header, String value) {
    return Collections.list(request.getHeaders(header)).stream()
        .flatMap(line -> Arrays.stream(line.split(",", -1)))
        .map(one -> one.strip().replaceFirst("^W/", "").replaceFirst(";.*", ""))
        .anyMatch(value::equals);
  }

  private static final class FastGzip extends GZIPOutputStream {

    FastGzip(ByteArrayOutputStream out) throws IOException {
      super(out, 1 << 16);
    }

    /**
     * Writes a range at a level. The first write after {@code setLevel} still has the level before,
     * so it is one byte.
     */
    void write(int level, byte[] bytes, int from, int to) throws IOException {
      int first = Math.min(from + 1, to);
      def.setLevel(level);
      write(bytes, from, first - from);
      write(bytes, first, to - first);
    }
  }
}
