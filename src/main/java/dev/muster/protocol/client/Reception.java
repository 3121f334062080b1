package dev.muster.protocol.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** Reads the response of one attempt. */
final class Reception {

  private static final int MOST_ANSWERED = 64 * 1024 * 1024;
  private static final int MOST_OF_ERROR = 64 * 1024;
  private static final int BUFFER = 8 * 1024;
  private static final int SWITCHING_PROTOCOLS = 101;

  /** The status of an error is known already; its text is worth no more. */
  private static final Duration PATIENCE_FOR_ERROR = Duration.ofSeconds(2);

  private final Call call;
  private final Attempt attempt;
  private final int status;
  private final String contentType;
  private final ResponseBody body;

  Reception(int status, Response response, Call call, Attempt attempt) {
    this.call = call;
    this.attempt = attempt;
    this.status = status;
    String type = response.header("Content-Type");
    this.contentType = type == null ? "" : type;
    this.body = response.body();
  }

  /**
   * @throws IOException when the body does not come whole; for an error, what came is enough
   */
  AttemptEnd read() throws IOException {
    if (status == SWITCHING_PROTOCOLS) { // what follows is no body
      call.cancel();
      return error(new byte[0]);
    }
    if (status / 100 != 2) {
      return error(beginning());
    }
    return attempt.isStreaming() && isEventStream() ? stream() : answer();
  }

  private boolean isEventStream() {
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    return type.strip().toLowerCase(Locale.ROOT).equals("text/event-stream");
  }

  private AttemptEnd stream() throws IOException {
    attempt.tell(new Step.StreamBegan(status, contentType));
    InputStream in = body.byteStream();
    byte[] buffer = new byte[BUFFER];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      attempt.tell(new Step.StreamBytes(Arrays.copyOf(buffer, n)));
    }
    return new AttemptEnd.StreamOver();
  }

  private AttemptEnd answer() throws IOException {
    if (body.contentLength() > MOST_ANSWERED) {
      return tooLarge();
    }
    byte[] bytes;
    try {
      bytes = new WholeBody(attempt, body).read(MOST_ANSWERED);
    } catch (IOException e) {
      attempt.space().clear();
      throw e;
    }
    if (bytes.length > MOST_ANSWERED) {
      return tooLarge();
    }
    if (bytes.length == 0) {
      return malformed("there is no body");
    }
    return switch (JsonLook.at(bytes)) {
      case JsonLook.NotJson _ -> malformed("the body is not JSON");
      case JsonLook.Other _ ->
          new AttemptEnd.Responded(
              "answered", effort -> new A2aResult.Answer(status, contentType, bytes, effort));
      case JsonLook.Fault(long code, String message) ->
          new AttemptEnd.Responded(
              "rpc_error",
              effort -> new A2aResult.RpcError(status, contentType, bytes, code, message, effort));
    };
  }

  /** The rest is not read: closing the response would. */
  private AttemptEnd tooLarge() {
    call.cancel();
    attempt.space().clear();
    return malformed("the body is larger than 64 MiB");
  }

  private AttemptEnd malformed(String reason) {
    return AttemptEnd.malformed(status, reason);
  }

  private AttemptEnd error(byte[] bytes) {
    String text = JsonLook.errorText(bytes);
    return new AttemptEnd.Responded(
        "http_error", effort -> new A2aResult.HttpError(status, bytes, text, effort));
  }

  private byte[] beginning() {
    Duration patience = PATIENCE_FOR_ERROR;
    Duration half = attempt.deadline().left().dividedBy(2);
    long limit = Math.max(1, (half.compareTo(patience) < 0 ? half : patience).toNanos());
    body.source().timeout().deadline(limit, TimeUnit.NANOSECONDS);
    ByteArrayOutputStream came = new ByteArrayOutputStream();
    try {
      InputStream in = body.byteStream();
      byte[] buffer = new byte[BUFFER];
      while (came.size() < MOST_OF_ERROR) {
        int n = in.read(buffer, 0, Math.min(BUFFER, MOST_OF_ERROR - came.size()));
        if (n < 0) {
          return came.toByteArray();
        }
        came.write(buffer, 0, n);
      }
    } catch (IOException brokenOff) {
      // the status stands
    }
    call.cancel();
    return came.toByteArray();
  }
}
