package dev.muster.platform.problem;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds a problem detail (RFC 9457) with {@code error} and {@code code} (R0.2).
 *
 * <p>{@code error} is the text that existing clients print; {@code code} is the word they branch
 * on.
 */
public record Problem(
    ErrorCode code, String detail, Map<String, ? extends @Nullable Object> extras) {

  public static Problem of(ProblemException refusal) {
    return new Problem(refusal.code(), refusal.detail(), refusal.extras());
  }

  /**
   * Returns the members in wire order; {@code extras} come last and may replace a standard member.
   */
  public Map<String, @Nullable Object> body(@Nullable String requestId) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("type", "about:blank");
    body.put("title", code.status().getReasonPhrase());
    body.put("status", code.status().value());
    body.put("detail", detail);
    body.put("error", detail);
    body.put("code", code.name());
    if (requestId != null) {
      body.put("request_id", requestId);
    }
    body.putAll(extras);
    return body;
  }
}
