package dev.muster.a2a;

import dev.muster.activity.TurnTopic;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.longpoll.Seen;
import dev.muster.protocol.client.Deadline;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** What becomes of a message that comes again (R7.3), on whichever replica. */
@Component
class Repeats {

  /** What the sender of a repeated message is to get. */
  sealed interface Turnout {

    /** What there is to say already. */
    record Known(Reply reply) implements Turnout {}

    /** It is to be delivered again, by whoever has the claim. */
    record Again(Claim claim) implements Turnout {}
  }

  private static final Seen<Finding> OPEN = new Seen.Answer<>(new Finding.Open());

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

  /** What a look at the record has come to; nobody has a claim yet. */
  private sealed interface Finding {

    record Over(Reply reply) implements Finding {}

    record Open() implements Finding {}
  }

  /**
   * Waits while somebody delivers the message, until the deadline; empty for a row that nobody ever
   * delivered, since its agent polls.
   *
   * @param taking takes a message that may be delivered again, unless somebody else is quicker
   */
  Optional<CompletableFuture<Turnout>> turnout(
      Sender sender,
      UUID targetId,
      UUID activityId,
      Deadline deadline,
      Supplier<Optional<Turnout>> taking) {
    return records.find(activityId).isEmpty()
        ? Optional.empty()
        : Optional.of(wait(sender, targetId, activityId, deadline, taking));
  }

  private CompletableFuture<Turnout> wait(
      Sender sender,
      UUID targetId,
      UUID activityId,
      Deadline deadline,
      Supplier<Optional<Turnout>> taking) {
    AtomicLong leaseEndsAt = new AtomicLong(System.nanoTime());
    Finding late =
        new Finding.Over(replies.timedOut("another send of this message is still under way"));
    return polls
        .await(
            new LongPoll<>(
                sender.owner(),
                new TurnTopic(targetId),
                deadline.left(),
                () -> look(targetId, activityId, leaseEndsAt),
                () -> System.nanoTime() - leaseEndsAt.get() < 0,
                late))
        .thenCompose(finding ->
            switch (finding) {
              case Finding.Over(Reply reply) ->
                  CompletableFuture.completedFuture(new Turnout.Known(reply));
              case Finding.Open() ->
                  taking
                      .get()
                      .map(CompletableFuture::completedFuture)
                      .orElseGet(() -> wait(sender, targetId, activityId, deadline, taking));
            });
  }

  /** The claim to a message that may be delivered again, unless somebody else is quicker. */
  Optional<Claim> take(UUID activityId) {
    String owner = Claim.newOwner();
    return records
        .takeOver(activityId, owner, settings.retriesAmbiguous())
        .map(deliveries -> new Claim(owner, deliveries > 0));
  }

  private Seen<Finding> look(UUID targetId, UUID activityId, AtomicLong leaseEndsAt) {
    Optional<MessageRecord> found = records.find(activityId);
    if (found.isEmpty()) {
      return known(replies.unreachable("the message is gone"));
    }
    MessageRecord record = found.get();
    leaseEndsAt.set(System.nanoTime() + Math.max(0, record.leaseLeft().toNanos()));
    return switch (record.state()) {
      case ANSWERED, QUEUED -> known(record.reply().orElseThrow());
      case REFUSED -> OPEN;
      case UNCERTAIN -> settings.retriesAmbiguous() ? OPEN : known(record.reply().orElseThrow());
      case SENDING -> ofDelivery(targetId, activityId, record);
    };
  }

  private Seen<Finding> ofDelivery(UUID targetId, UUID activityId, MessageRecord record) {
    if (!record.hasLapsed()) {
      return new Seen.Nothing<>(record.version());
    }
    if (settings.retriesAmbiguous()) {
      return OPEN;
    }
    lapsed.end(
        new MessageRecords.Lapsed(activityId, targetId, Objects.requireNonNull(record.owner())));
    return new Seen.Nothing<>(record.version());
  }

  private static Seen<Finding> known(Reply reply) {
    return new Seen.Answer<>(new Finding.Over(reply));
  }
}
