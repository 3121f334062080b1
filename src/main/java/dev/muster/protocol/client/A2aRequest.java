package dev.muster.protocol.client;

import java.time.Duration;
import java.util.Map;

/**
 * One JSON-RPC request and where it goes. All attempts send the same bytes, so they carry the same
 * {@code messageId}.
 *
 * @param target names the receiver in texts and budgets; no url
 * @param url of http or https
 * @param body handed over: must not be changed any more
 * @param headers beside {@code Content-Type}, {@code Accept}, {@code Accept-Encoding} and {@code
 *     X-Timeout}, which are set here; the first two and the last may be given
 * @param readTimeout how long the peer may say nothing, in one attempt
 * @param deadline of the whole send
 * @param space where the answer finds its room; whoever sends closes it when the answer is not
 *     needed any more
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

  /** For an answer that may take as much memory as it likes. */
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

  /** Without url and headers, which hold secrets. */
  @Override
  public String toString() {
    return "A2aRequest[target=" + target + ", " + body.length + " bytes]";
  }
}
