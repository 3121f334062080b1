package dev.muster.message.flow;

import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.OutcomeRepository.Standing;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.WorkspaceStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known when a message is decided about.
 *
 * @param isFree false when the database has found that this message cannot be sent at once
 * @param known the same message, stored before; null as long as none is known
 * @param hasWaited whether the sender has waited for the outcome of a delivery, its own or another
 */
record Facts(
    DeliveryTarget target, Look look, boolean isFree, @Nullable Known known, boolean hasWaited) {

  /** When the target was read. */
  enum Look {
    /** Some time ago. It may have changed, so it is read again before it refuses or repeats. */
    REMEMBERED,
    /** For this message. */
    READ,
    /** For this message, after the database had found that the target has changed. */
    READ_AFTER_CHANGE
  }

  /** A stored message, and what has become of it. */
  record Known(ActivityKey key, Standing standing) {}

  static Facts remembered(DeliveryTarget target) {
    return new Facts(target, Look.REMEMBERED, true, null, false);
  }

  Facts read(DeliveryTarget now) {
    return new Facts(now, Look.READ, isFree, known, hasWaited);
  }

  Facts changed(DeliveryTarget now) {
    return new Facts(now, Look.READ_AFTER_CHANGE, true, known, hasWaited);
  }

  Facts notFree() {
    return new Facts(target, look, false, known, hasWaited);
  }

  /**
   * Whether a stored message may be sent again is decided by the target as it is.
   *
   * @param stored null if retention has deleted it
   */
  Facts knowing(@Nullable Known stored) {
    return new Facts(target, Look.REMEMBERED, true, stored, hasWaited);
  }

  Facts waited() {
    return new Facts(target, look, isFree, known, true);
  }

  Known requireKnown() {
    return Objects.requireNonNull(known);
  }

  boolean isRemembered() {
    return look == Look.REMEMBERED;
  }

  boolean polls() {
    return target.deliveryMode() == DeliveryMode.POLL;
  }

  boolean isPaused() {
    return target.status() == WorkspaceStatus.PAUSED;
  }
}
