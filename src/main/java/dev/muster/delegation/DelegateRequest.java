package dev.muster.delegation;

import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A request to delegate a task (R8.2).
 *
 * @param parent the delegation that the caller works on, as the caller states it
 */
record DelegateRequest(
    Optional<UUID> targetId,
    PreviewedText task,
    Optional<String> idempotencyKey,
    Duration span,
    Optional<String> parent) {

  static final Duration USUAL_SPAN = Duration.ofHours(6);

  static final String KEY_HEADER = "Idempotency-Key";

  private static final String KEY = "idempotency_key";
  private static final int MAX_SPAN_S = 604_800;
  private static final int MAX_KEY_LENGTH = 255;
  private static final int KEPT_OF_A_LONG_KEY = 200;

  /**
   * Reads a request.
   *
   * @param keyHeaders the values of the header {@code Idempotency-Key}, which is the same key
   */
  static DelegateRequest read(JsonBody body, List<String> keyHeaders) {
    return new DelegateRequest(
        body.id("target_id"),
        task(body),
        key(body, keyHeaders).map(DelegateRequest::kept),
        body.integer("deadline_s", 1, MAX_SPAN_S).map(Duration::ofSeconds).orElse(USUAL_SPAN),
        parent(body));
  }

  private static Optional<String> key(JsonBody body, List<String> headers) {
    List<String> keys =
        Stream.concat(body.text(KEY, Integer.MAX_VALUE).stream(), headers.stream().map(Text::clean))
            .filter(key -> !key.isEmpty())
            .distinct()
            .toList();
    if (keys.size() > 1) {
      throw ProblemException.validation(
          KEY
              + ": not the value of the header "
              + KEY_HEADER
              + " (expected: one of the two, or the same key in both)");
    }
    return keys.stream().findFirst();
  }

  /** Reads the parent. Text that is longer than any id is cut, and then no delegation has it. */
  static Optional<String> parent(JsonBody body) {
    return body.text("parent_delegation_id", DelegationIds.MAX_LENGTH + 1)
        .filter(id -> !id.isEmpty());
  }

  /**
   * Shortens a long key to its start and a hash. Without the hash, two long keys with the same
   * start would match each other's delegation.
   */
  private static String kept(String key) {
    return key.length() <= MAX_KEY_LENGTH
        ? key
        : Text.cut(key, KEPT_OF_A_LONG_KEY)
            + "~"
            + UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8));
  }

  static PreviewedText task(JsonBody body) {
    return PreviewedText.of(body.requiredText("task", Integer.MAX_VALUE));
  }
}
