package dev.muster.a2a;

import dev.muster.activity.TurnTopic;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.longpoll.Seen;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** What becomes of a message that comes again (R7.3), on whichever replica. */
@Component
class Repeats {

  /** What the sender of a repeated message is to get. */
  sealed interface Turnout {

    /** What there is to say already. */
    record Known(Reply reply) implements Turnout {}

    /** It is to be delivered again, by {@code owner}, who has the lease. */
    record Again(String owner) implements Turnout {}
  }

  private final LongPolls polls;
  private final MessageRecords records;
  private final LapsedTurns lapsed;
  private final Replies replies;
  private final A2aSettings settings;

  Repeats(
      LongPolls polls,
      MessageRecords records,
      LapsedTurns lapsed,
      Replies replies,
      A2aSettings settings) {
    this.polls = polls;
    this.records = records;
    this.lapsed = lapsed;
    this.replies = replies;
    this.settings = settings;
  }

  /**
   * Waits while somebody delivers the message, at most so long; empty for a row that nobody ever
   * delivered, since its agent polls.
   */
  Optional<CompletableFuture<Turnout>> turnout(UUID targetId, UUID activityId, Duration atMost) {
    if (records.find(activityId).isEmpty()) {
      return Optional.empty();
    }
    AtomicLong leaseEndsAt = new AtomicLong(System.nanoTime());
    return Optional.of(
        polls.await(
            new LongPoll<>(
                new TurnTopic(targetId),
                atMost,
                () -> look(targetId, activityId, leaseEndsAt),
                () -> System.nanoTime() - leaseEndsAt.get() < 0,
                new Turnout.Known(
                    replies.timedOut("another send of this message is still under way")))));
  }

  private Seen<Turnout> look(UUID targetId, UUID activityId, AtomicLong leaseEndsAt) {
    Optional<MessageRecord> found = records.find(activityId);
    if (found.isEmpty()) {
      return known(replies.unreachable("the message is gone"));
    }
    MessageRecord record = found.get();
    leaseEndsAt.set(System.nanoTime() + Math.max(0, record.leaseLeft().toNanos()));
    return switch (record.state()) {
      case ANSWERED, QUEUED -> known(record.reply().orElseThrow());
      case REFUSED -> again(activityId, record);
      case UNCERTAIN ->
          settings.retriesAmbiguous()
              ? again(activityId, record)
              : known(record.reply().orElseThrow());
      case SENDING -> ofDelivery(targetId, activityId, record);
    };
  }

  private Seen<Turnout> ofDelivery(UUID targetId, UUID activityId, MessageRecord record) {
    if (!record.hasLapsed()) {
      return new Seen.Nothing<>(record.version());
    }
    if (settings.retriesAmbiguous()) {
      return again(activityId, record);
    }
    lapsed.end(
        new MessageRecords.Lapsed(
            activityId, targetId, java.util.Objects.requireNonNull(record.owner())));
    return new Seen.Nothing<>(record.version());
  }

  /** Of several who want it, one gets it, and the others wait for that one. */
  private Seen<Turnout> again(UUID activityId, MessageRecord record) {
    String owner = Turns.newOwner();
    return records.takeOver(activityId, owner, settings.retriesAmbiguous())
        ? new Seen.Answer<>(new Turnout.Again(owner))
        : new Seen.Nothing<>(record.version());
  }

  private static Seen<Turnout> known(Reply reply) {
    return new Seen.Answer<>(new Turnout.Known(reply));
  }
}
