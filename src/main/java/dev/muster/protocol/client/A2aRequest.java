package dev.muster.protocol.client;

import java.time.Duration;
import java.util.Map;

/**
 * One JSON-RPC request and its target.
 *
 * <p>All attempts send the same bytes and so the same {@code messageId}.
 *
 * @param target names the receiver in texts and budgets; not a URL
 * @param url an http or https URL
 * @param body not copied; the caller must not change it afterwards
 * @param headers additional headers; {@code Accept-Encoding} is always set here, {@code
 *     Content-Type}, {@code Accept} and {@code X-Timeout} only if absent
 * @param readTimeout positive; maximum time without data from the peer in one attempt
 * @param deadline deadline of the whole send
 * @param space accounts for the memory of the response; the caller closes it when it no longer
 *     needs the response
 */
@SuppressWarnings("ArrayRecordComponent") // up to 16 MiB: neither copied nor compared
public record A2aRequest(
    String target,
    String url,
    byte[] body,
    Map<String, String> headers,
    Duration readTimeout,
    Deadline deadline,
    ResponseMemoryAllocation space) {

  /** Creates a request without a limit on the memory of its response. */
  public A2aRequest(
      String target,
      String url,
      byte[] body,
      Map<String, String> headers,
      Duration readTimeout,
      Deadline deadline) {
    this(
        target,
        url,
        body,
        headers,
        readTimeout,
        deadline,
        ResponseMemoryBudget.unlimited().open(target, ""));
  }

  public A2aRequest {
    if (!readTimeout.isPositive()) {
      throw new IllegalArgumentException(
          "readTimeout: " + readTimeout + " (expected: more than nothing)");
    }
    headers = Map.copyOf(headers);
  }

  /** Omits URL and headers, which hold secrets. */
  @Override
  public String toString() {
    return "A2aRequest[target=" + target + ", " + body.length + " bytes]";
  }
}
