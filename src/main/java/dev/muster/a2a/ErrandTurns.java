package dev.muster.a2a;

import dev.muster.activity.Appended;
import dev.muster.activity.Ended;
import dev.muster.activity.Feeds;
import dev.muster.activity.NewActivity;
import dev.muster.activity.StoredMessage;
import dev.muster.activity.TurnEnd;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.postgres.LongStatements;
import dev.muster.platform.text.Text;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The turns that delegations hang on: message and delegation end in one transaction, the
 * delegation's row locked before any feed.
 */
@Component
class ErrandTurns {

  /** For an answer of 64 MiB, which goes into three rows. */
  private static final Duration MOST = Duration.ofSeconds(30);

  /** Below the 5 s of R0.6. */
  private static final Duration MOST_OF_A_REQUEST = Duration.ofSeconds(4);

  /** Asked for late: whoever owns errands also has messages sent. */
  private final ObjectProvider<ErrandOwner> owner;

  private final Feeds feeds;
  private final CertainTransactions transactions;
  private final CertainTransactions inTime;
  private final LongStatements statements;

  ErrandTurns(
      ObjectProvider<ErrandOwner> owner,
      Feeds feeds,
      CertainTransactions transactions,
      LongStatements statements) {
    this.owner = owner;
    this.feeds = feeds;
    this.transactions = transactions.noLongerThan(MOST);
    this.inTime = transactions.noLongerThan(MOST_OF_A_REQUEST);
    this.statements = statements;
  }

  /** What the message may be an errand of; its owner knows whether it is. */
  static Optional<Errand> of(StoredMessage message) {
    @Nullable UUID sender = message.senderId();
    return message.delegationId() == null || message.messageId() == null || sender == null
        ? Optional.empty()
        : Optional.of(
            new Errand(message.delegationId(), sender, message.workspaceId(), message.messageId()));
  }

  /** Of a message that was handed over for a delegation; empty when nobody wants it any more. */
  Optional<Duration> timeLeft(StoredMessage message) {
    return of(message).flatMap(errand -> owner.getObject().timeLeft(errand));
  }

  /**
   * Throws, and then nothing is stored; when the turn has ended already nothing is stored either.
   */
  Ended end(TurnEnd end, ErrandEnd errandEnd) {
    return transactions.runPastDeadlocks(status -> {
      statements.allow(MOST);
      List<NewActivity> rows = settle(List.of(errandEnd));
      Ended ended = feeds.endAllAndAppend(List.of(end), rows).getFirst();
      if (ended == Ended.PASSED) {
        status.setRollbackOnly();
      }
      return ended;
    });
  }

  /** In the caller's transaction, before any feed is locked. */
  List<NewActivity> settle(List<ErrandEnd> ends) {
    return ends.isEmpty() ? List.of() : owner.getObject().settle(ends);
  }

  /** What the message replies to, if that is an open errand. */
  Optional<Errand> repliedTo(UUID sender, UUID target, NormalRequest request) {
    @Nullable ObjectNode message = request.message();
    @Nullable ErrandOwner asked = owner.getIfAvailable();
    if (message == null || asked == null) {
      return Optional.empty();
    }
    JsonNode metadata = message.path("metadata");
    return text(metadata.path("delegation_id"))
        .or(() -> text(metadata.path("reply_to")))
        .flatMap(id -> asked.repliedTo(sender, target, id));
  }

  /** Without what the database has no room for (R0.8). */
  private static Optional<String> text(JsonNode value) {
    return value.isString() && !value.stringValue().isEmpty()
        ? Optional.of(Text.clean(value.stringValue()))
        : Optional.empty();
  }

  /** The errand ends with the reply, if that is a new one. */
  Appended append(NewActivity reply, Errand errand, String text) {
    return inTime.runPastDeadlocks(status -> {
      owner.getObject().settle(errand, text);
      Appended appended = feeds.appendAll(List.of(reply)).getFirst();
      if (!(appended instanceof Appended.Stored)) {
        status.setRollbackOnly();
      }
      return appended;
    });
  }
}
