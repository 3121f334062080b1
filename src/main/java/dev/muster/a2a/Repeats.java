package dev.muster.a2a;

import dev.muster.activity.TurnTopic;
import dev.muster.identity.Standing;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.longpoll.Seen;
import dev.muster.protocol.client.Deadline;
import dev.muster.workspace.Workspaces;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
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
  private final Workspaces workspaces;
  private final A2aSettings settings;

  Repeats(
      LongPolls polls,
      MessageRecords records,
      LapsedTurns lapsed,
      Replies replies,
      Workspaces workspaces,
      A2aSettings settings) {
    this.polls = polls;
    this.records = records;
    this.lapsed = lapsed;
    this.replies = replies;
    this.workspaces = workspaces;
    this.settings = settings;
  }

  /** What a look at the record has come to; nobody has a claim yet. */
  private sealed interface Finding {

    record Over(Reply reply) implements Finding {}

    record Open() implements Finding {}
  }

  /**
   * A message that comes again.
   *
   * @param sender who sends it, until the deadline, or until {@code standing} is not good any more
   * @param memory is told the bytes of a stored answer before that is read, and may refuse them
   */
  record Repeat(
      Sender sender,
      Standing standing,
      UUID targetId,
      UUID activityId,
      Deadline deadline,
      LongConsumer memory) {}

  /**
   * Waits while somebody delivers the message, until the deadline; empty for a row that nobody ever
   * delivered, since its agent polls.
   *
   * @param taking takes a message that may be delivered again, unless somebody else is quicker
   */
  Optional<CompletableFuture<Turnout>> turnout(Repeat repeat, Supplier<Optional<Turnout>> taking) {
    return records.find(repeat.activityId()).isEmpty()
        ? Optional.empty()
        : Optional.of(wait(repeat, taking));
  }

  private CompletableFuture<Turnout> wait(Repeat repeat, Supplier<Optional<Turnout>> taking) {
    AtomicLong leaseEndsAt = new AtomicLong(System.nanoTime());
    Finding late =
        new Finding.Over(replies.timedOut("another send of this message is still under way"));
    return polls
        .await(
            new LongPoll<>(
                repeat.sender().owner(),
                new TurnTopic(repeat.targetId()),
                repeat.deadline().left(),
                () -> look(repeat, leaseEndsAt),
                () ->
                    System.nanoTime() - leaseEndsAt.get() < 0
                        && repeat.standing().now() != Standing.Verdict.REVOKED,
                late))
        .thenCompose(finding ->
            switch (finding) {
              case Finding.Over(Reply reply) ->
                  CompletableFuture.completedFuture(new Turnout.Known(reply));
              case Finding.Open() ->
                  taking
                      .get()
                      .map(CompletableFuture::completedFuture)
                      .orElseGet(() -> wait(repeat, taking));
            });
  }

  /** The claim to a message that may be delivered again, unless somebody else is quicker. */
  Optional<Claim> take(UUID activityId) {
    String owner = Claim.newOwner();
    return records
        .takeOver(activityId, owner, settings.retriesAmbiguous())
        .map(deliveries -> new Claim(owner, deliveries > 0));
  }

  private Seen<Finding> look(Repeat repeat, AtomicLong leaseEndsAt) {
    repeat.standing().requireGood();
    Optional<MessageRecord> found = records.find(repeat.activityId());
    if (found.isEmpty()) {
      return known(replies.unreachable("the message is gone"));
    }
    MessageRecord record = found.get();
    leaseEndsAt.set(System.nanoTime() + Math.max(0, record.leaseLeft().toNanos()));
    return switch (record.state()) {
      case ANSWERED, QUEUED -> known(repeat, record);
      case REFUSED -> OPEN;
      case UNCERTAIN -> settings.retriesAmbiguous() ? OPEN : known(repeat, record);
      case SENDING -> ofDelivery(repeat, record);
    };
  }

  private Seen<Finding> ofDelivery(Repeat repeat, MessageRecord record) {
    if (!record.hasLapsed()) {
      workspaces.requirePresent(repeat.targetId());
      return new Seen.Nothing<>(record.version());
    }
    if (settings.retriesAmbiguous()) {
      return OPEN;
    }
    lapsed.end(
        new MessageRecords.Lapsed(
            repeat.activityId(), repeat.targetId(), Objects.requireNonNull(record.owner())));
    return new Seen.Nothing<>(record.version());
  }

  private Seen<Finding> known(Repeat repeat, MessageRecord record) {
    repeat.memory().accept(record.replyBytes());
    return known(records.reply(repeat.activityId()));
  }

  private static Seen<Finding> known(Reply reply) {
    return new Seen.Answer<>(new Finding.Over(reply));
  }
}
