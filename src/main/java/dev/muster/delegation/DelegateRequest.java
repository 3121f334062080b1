package dev.muster.delegation;

import dev.muster.platform.json.JsonBody;
import dev.muster.platform.text.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

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

  private static final int MAX_SPAN_S = 604_800;
  private static final int MAX_KEY_LENGTH = 255;
  private static final int KEPT_OF_A_LONG_KEY = 200;

  static DelegateRequest read(JsonBody body) {
    return new DelegateRequest(
        body.id("target_id"),
        task(body),
        body.text("idempotency_key", Integer.MAX_VALUE)
            .filter(key -> !key.isEmpty())
            .map(DelegateRequest::kept),
        body.integer("deadline_s", 1, MAX_SPAN_S).map(Duration::ofSeconds).orElse(USUAL_SPAN),
        parent(body));
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
