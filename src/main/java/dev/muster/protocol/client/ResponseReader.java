package dev.muster.protocol.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;

/** Reads the response of one attempt. */
final class ResponseReader {

  private static final int MAX_BODY_BYTES = 64 * 1024 * 1024;
  private static final int MAX_ERROR_BYTES = 64 * 1024;
  private static final int BUFFER = 8 * 1024;

  /** The characters of an error body without a known form that are kept. */
  private static final int MAX_QUOTED = 300;

  private static final int SWITCHING_PROTOCOLS = 101;

  /** The status is already known; the error text is not worth a longer wait. */
  private static final Duration ERROR_BODY_TIMEOUT = Duration.ofSeconds(2);

  private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7e]{1,1024}");
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");
  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

  /** Thrown when the peer's data is not HTTP; the message is a readable clause. */
  static final class MalformedResponseException extends IOException {
    private static final long serialVersionUID = 1L;

    MalformedResponseException(String reason) {
      super(reason);
    }

    String reason() {
      return String.valueOf(getMessage());
    }
  }

  private final Call call;
  private final HttpAttempt attempt;
  private final int status;
  private final String contentType;
  private final Map<String, String> headers;
  private final Optional<Duration> retryAfter;
  private final ResponseBody body;

  ResponseReader(int status, Response response, Call call, HttpAttempt attempt) {
    this.call = call;
    this.attempt = attempt;
    this.status = status;
    String type = response.header("Content-Type");
    this.contentType = type == null ? "" : type;
    this.headers = passedBack(response);
    this.retryAfter = retryAfter(headers, response.header("Date"));
    this.body = response.body();
  }

  /** Reads a number of seconds, or a date, which counts from the date of the response. */
  private static Optional<Duration> retryAfter(Map<String, String> headers, @Nullable String now) {
    String said = headers.getOrDefault("Retry-After", "").strip();
    if (SECONDS.matcher(said).matches()) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(said)));
    }
    try {
      Duration wait = Duration.between(date(now == null ? "" : now), date(said));
      return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
    } catch (DateTimeException unusable) {
      return Optional.empty();
    }
  }

  private static Instant date(String text) {
    return DateTimeFormatter.RFC_1123_DATE_TIME.parse(text.strip(), Instant::from);
  }

  /** Leaves out a value that is no line of printable ASCII, or is long. */
  private static Map<String, String> passedBack(Response response) {
    Map<String, String> found = new LinkedHashMap<>();
    for (String name : A2aResult.PASSED_BACK) {
      String value = String.join(", ", response.headers(name));
      if (!value.isEmpty() && HEADER_VALUE.matcher(value).matches()) {
        found.put(name, value);
      }
    }
    return found;
  }

  /** Rejects lengths that OkHttp misreads: it accepts negative numbers and ignores text. */
  static void requireLength(List<String> declared) throws MalformedResponseException {
    for (String length : declared) {
      if (!LENGTH.matcher(length).matches() || !length.equals(declared.getFirst())) {
        throw new MalformedResponseException("its Content-Length is not a number of bytes");
      }
    }
  }

  /**
   * Reads the response.
   *
   * @throws IOException when the body is incomplete; an incomplete error body is accepted
   */
  AttemptResult read() throws IOException {
    if (status == SWITCHING_PROTOCOLS) { // what follows is no body
      call.cancel();
      return error(new byte[0]);
    }
    if (status / 100 != 2) {
      return error(beginning());
    }
    if (!isEventStream()) {
      return answer();
    }
    StreamRelay relay = attempt.relay();
    return relay == null ? lastEvent() : stream(relay);
  }

  private boolean isEventStream() {
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    return type.strip().toLowerCase(Locale.ROOT).equals("text/event-stream");
  }

  private AttemptResult stream(StreamRelay relay) throws IOException {
    relay.begin(status, contentType, headers);
    InputStream in = body.byteStream();
    byte[] buffer = new byte[BUFFER];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      relay.pass(Arrays.copyOf(buffer, n));
    }
    return new AttemptResult.StreamOver();
  }

  private AttemptResult answer() throws IOException {
    if (body.contentLength() > MAX_BODY_BYTES) {
      return tooLarge();
    }
    byte[] bytes;
    try {
      bytes = new BoundedBody(attempt, body).read(MAX_BODY_BYTES);
    } catch (IOException e) {
      attempt.space().clear();
      throw e;
    }
    if (bytes.length > MAX_BODY_BYTES) {
      return tooLarge();
    }
    return answer(bytes);
  }

  private AttemptResult answer(byte[] bytes) {
    if (bytes.length == 0) {
      return malformed("there is no body");
    }
    return switch (JsonProbe.at(bytes)) {
      case JsonProbe.NotJson ignored -> malformed("the body is not JSON");
      case JsonProbe.Other ignored ->
          new AttemptResult.Responded(
              "answered",
              stats -> new A2aResult.Answer(status, contentType, bytes, headers, stats));
      case JsonProbe.Fault(long code, String message) ->
          new AttemptResult.Responded(
              "rpc_error",
              stats ->
                  new A2aResult.RpcError(
                      status, contentType, bytes, code, message, headers, stats));
    };
  }

  /** Takes the last event of a stream that nobody asked for as the answer. */
  private AttemptResult lastEvent() throws IOException {
    LastSseEvent last = new LastSseEvent(this::mayKeep);
    InputStream in = body.byteStream();
    byte[] buffer = new byte[BUFFER];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      last.feed(Arrays.copyOf(buffer, n));
    }
    return last.last()
        .map(this::answer)
        .orElseGet(() -> malformed("the stream has no event, or its last one exceeds 1 MiB"));
  }

  private boolean mayKeep(long bytes) {
    try {
      attempt.space().take(bytes, attempt.deadline());
      return true;
    } catch (InterruptedIOException tooLate) {
      return false;
    }
  }

  /** Cancels the call, because closing the response would read the rest of the body. */
  private AttemptResult tooLarge() {
    call.cancel();
    attempt.space().clear();
    return malformed("the body is larger than 64 MiB");
  }

  private AttemptResult malformed(String reason) {
    return AttemptResult.malformed(status, reason);
  }

  private AttemptResult error(byte[] bytes) {
    String text = errorText(bytes);
    return new AttemptResult.Responded(
        "http_error",
        stats -> new A2aResult.HttpError(status, bytes, text, retryAfter, headers, stats));
  }

  /** Returns the error that the body names, else the beginning of the body on one line. */
  private static String errorText(byte[] bytes) {
    String text = JsonProbe.errorText(bytes);
    if (!text.isBlank()) {
      return text;
    }
    String line = new String(bytes, StandardCharsets.UTF_8).strip().replaceAll("\\s+", " ");
    return line.codePointCount(0, line.length()) <= MAX_QUOTED
        ? line
        : line.substring(0, line.offsetByCodePoints(0, MAX_QUOTED));
  }

  private byte[] beginning() {
    Duration timeout = ERROR_BODY_TIMEOUT;
    Duration half = attempt.deadline().left().dividedBy(2);
    long limit = Math.max(1, (half.compareTo(timeout) < 0 ? half : timeout).toNanos());
    body.source().timeout().deadline(limit, TimeUnit.NANOSECONDS);
    ByteArrayOutputStream came = new ByteArrayOutputStream();
    try {
      InputStream in = body.byteStream();
      byte[] buffer = new byte[BUFFER];
      while (came.size() < MAX_ERROR_BYTES) {
        int n = in.read(buffer, 0, Math.min(BUFFER, MAX_ERROR_BYTES - came.size()));
        if (n < 0) {
          return came.toByteArray();
        }
        came.write(buffer, 0, n);
      }
    } catch (IOException brokenOff) {
      // the status is valid without the whole body
    }
    call.cancel();
    return came.toByteArray();
  }
}
