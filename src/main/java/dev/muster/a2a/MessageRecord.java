package dev.muster.a2a;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One message's record (R7.3).
 *
 * @param owner whose delivery is under way, while it is {@link MessageState#SENDING}
 * @param leaseLeft of that owner; negative when it has lapsed
 * @param deliveries how often the agent may have been given it
 * @param replyBytes how large what its sender was answered is, about; 0 without an answer
 * @param version grows with every turn of the target that ends; read before the rest
 */
record MessageRecord(
    MessageState state,
    @Nullable String owner,
    Duration leaseLeft,
    int deliveries,
    long replyBytes,
    long version) {

  boolean hasLapsed() {
    return state == MessageState.SENDING && leaseLeft.isNegative();
  }
}
