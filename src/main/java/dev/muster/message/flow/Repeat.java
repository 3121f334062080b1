package dev.muster.message.flow;

import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.message.store.OutcomeRepository.Standing;
import java.util.Objects;

/**
 * Whether a message whose delivery has ended is delivered again, for its sender that repeats it
 * (R7.3) or for an operator (R7.7).
 */
public enum Repeat {
  /** Its agent did not get it, or may have got it and gets it again. */
  AGAIN,
  /** Its agent may have got it, and {@code A2A_RETRY_AMBIGUOUS=false} forbids to send it twice. */
  MAY_BE_KNOWN,
  ANSWERED,
  IN_FEED;

  /** Decides by the outcome; a message without one is in the feed of its agent. */
  public static Repeat of(Standing ended, boolean retryAmbiguous) {
    return switch (Objects.requireNonNullElse(ended.outcome(), OutcomeState.IN_FEED)) {
      case REFUSED -> AGAIN;
      case UNCERTAIN -> retryAmbiguous ? AGAIN : MAY_BE_KNOWN;
      case ANSWERED -> ANSWERED;
      case IN_FEED -> IN_FEED;
    };
  }
}
