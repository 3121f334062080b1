package dev.muster.delegation;

import dev.muster.delegation.DelegationQueries.Direction;
import dev.muster.delegation.DelegationRepository.Texts;
import dev.muster.platform.text.Text;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A whole delegation with its texts (R8.6). */
record DelegationView(
    String delegationId,
    String type,
    UUID callerId,
    UUID calleeId,
    UUID sourceId,
    UUID targetId,
    String task,
    String taskPreview,
    DelegationStatus status,
    int attempt,
    int retryCount,
    @Nullable Instant lastHeartbeat,
    Instant deadline,
    @Nullable Instant dispatchedAt,
    @Nullable String result,
    @Nullable String resultPreview,
    @Nullable String responsePreview,
    @Nullable String error,
    @Nullable String errorDetail,
    @Nullable String errorKind,
    @Nullable String idempotencyKey,
    @Nullable String parentDelegationId,
    Instant createdAt,
    Instant updatedAt) {

  static DelegationView of(Delegation delegation, Texts texts) {
    return new DelegationView(
        delegation.delegationId(),
        DelegationEntry.TYPE,
        delegation.callerId(),
        delegation.calleeId(),
        delegation.callerId(),
        delegation.calleeId(),
        texts.task(),
        delegation.taskPreview(),
        delegation.status(),
        delegation.attempt(),
        delegation.retryCount(),
        delegation.lastHeartbeat(),
        delegation.deadline(),
        delegation.dispatchedAt(),
        texts.result(),
        delegation.resultPreview(),
        delegation.resultPreview(),
        delegation.errorDetail(),
        delegation.errorDetail(),
        delegation.errorKind(),
        delegation.idempotencyKey(),
        delegation.parentDelegationId(),
        delegation.createdAt(),
        delegation.updatedAt());
  }

  /**
   * A delegation in the list of its caller or callee (R8.6).
   *
   * @param error the same text as {@code errorDetail}
   */
  record DelegationEntry(
      String delegationId,
      String type,
      UUID sourceId,
      UUID targetId,
      Direction direction,
      String summary,
      DelegationStatus status,
      @Nullable String responsePreview,
      @Nullable String error,
      @Nullable String errorDetail,
      @Nullable String errorKind,
      @Nullable Instant lastHeartbeat,
      Instant deadline,
      Instant createdAt,
      Instant updatedAt) {

    static final String TYPE = "delegation";

    private static final int SUMMARY_CHARACTERS = 200;

    static DelegationEntry of(Delegation delegation, UUID reader) {
      return new DelegationEntry(
          delegation.delegationId(),
          TYPE,
          delegation.callerId(),
          delegation.calleeId(),
          delegation.callerId().equals(reader) ? Direction.SENT : Direction.RECEIVED,
          Text.cut(delegation.taskPreview(), SUMMARY_CHARACTERS),
          delegation.status(),
          delegation.resultPreview(),
          delegation.errorDetail(),
          delegation.errorDetail(),
          delegation.errorKind(),
          delegation.lastHeartbeat(),
          delegation.deadline(),
          delegation.createdAt(),
          delegation.updatedAt());
    }
  }
}
