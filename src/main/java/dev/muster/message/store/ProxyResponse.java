package dev.muster.message.store;

import dev.muster.platform.http.PlainRoute;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.client.ResponseMemoryAllocation;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * The response to the sender of a request, byte for byte.
 *
 * @param headers those of the agent's response that its sender gets (R7.6); they are not stored
 * @param space the body's share of the response memory; null for a small body
 */
@SuppressWarnings("ArrayRecordComponent") // up to 64 MiB: passed on, never compared
public record ProxyResponse(
    int status,
    String contentType,
    byte[] body,
    Map<String, String> headers,
    @Nullable ResponseMemoryAllocation space)
    implements PlainRoute.Answer {

  /** What a sender is told to wait when an agent cannot be reached, in seconds. */
  public static final int RETRY_AFTER_S = 15;

  public ProxyResponse(int status, String contentType, byte[] body) {
    this(status, contentType, body, Map.of(), null);
  }

  public ProxyResponse in(ResponseMemoryAllocation memory) {
    return new ProxyResponse(status, contentType, body, headers, memory);
  }

  public ProxyResponse with(Map<String, String> passedBack) {
    return new ProxyResponse(status, contentType, body, passedBack, space);
  }

  /** Releases the memory of the body, once it is written or will not be read. */
  public void release() {
    if (space != null) {
      space.close();
    }
  }

  public static ProxyResponse json(int status, RawJson body) {
    return new ProxyResponse(
        status, MediaType.APPLICATION_JSON_VALUE, body.text().getBytes(StandardCharsets.UTF_8));
  }

  /** Whether the body is a stream of server-sent events. */
  public boolean isStream() {
    return contentType.equals(MediaType.TEXT_EVENT_STREAM_VALUE);
  }

  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** Returns the headers of the response, without its content type. */
  private Map<String, String> allHeaders() {
    if (status != HttpStatus.SERVICE_UNAVAILABLE.value()
        || headers.containsKey(HttpHeaders.RETRY_AFTER)) {
      return headers;
    }
    Map<String, String> all = new HashMap<>(headers);
    all.put(HttpHeaders.RETRY_AFTER, Integer.toString(RETRY_AFTER_S));
    return all;
  }

  @Override
  public void writeTo(HttpServletResponse response) throws IOException {
    response.setStatus(status);
    response.setContentType(contentType);
    allHeaders().forEach(response::addHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
