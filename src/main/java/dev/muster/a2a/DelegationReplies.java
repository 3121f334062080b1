package dev.muster.a2a;

import dev.muster.activity.Appended;
import dev.muster.activity.Feeds;
import dev.muster.activity.NewActivity;
import dev.muster.delivery.DelegationCallbacks;
import dev.muster.delivery.DelegationMessage;
import dev.muster.platform.commit.CertainTransactions;
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

/** Messages by which callees answer delegations: message and end are one transaction (R8.7). */
@Component
class DelegationReplies {

  /** Below the 5 s of R0.6. */
  private static final Duration MOST = Duration.ofSeconds(4);

  /** Looked up late: the ledger of delegations also sends messages by this module. */
  private final ObjectProvider<DelegationCallbacks> delegations;

  private final Feeds feeds;
  private final CertainTransactions transactions;

  DelegationReplies(
      ObjectProvider<DelegationCallbacks> delegations,
      Feeds feeds,
      CertainTransactions transactions) {
    this.delegations = delegations;
    this.feeds = feeds;
    this.transactions = transactions.noLongerThan(MOST);
  }

  /** What the message replies to, if that is an open delegation. */
  Optional<DelegationMessage> repliedTo(UUID sender, UUID target, NormalRequest request) {
    @Nullable ObjectNode message = request.message();
    @Nullable DelegationCallbacks ledger = delegations.getIfAvailable();
    if (message == null || ledger == null) {
      return Optional.empty();
    }
    JsonNode metadata = message.path("metadata");
    return text(metadata.path("delegation_id"))
        .or(() -> text(metadata.path("reply_to")))
        .flatMap(id -> ledger.repliedTo(sender, target, id));
  }

  /** Without what the database has no room for (R0.8). */
  private static Optional<String> text(JsonNode value) {
    return value.isString() && !value.stringValue().isEmpty()
        ? Optional.of(Text.clean(value.stringValue()))
        : Optional.empty();
  }

  /** The delegation ends with the reply, if that is a new one. */
  Appended append(NewActivity reply, DelegationMessage delegation, String text) {
    return transactions.runPastDeadlocks(status -> {
      delegations.getObject().settle(delegation, text);
      Appended appended = feeds.appendAll(List.of(reply)).getFirst();
      if (!(appended instanceof Appended.Stored)) {
        status.setRollbackOnly();
      }
      return appended;
    });
  }
}
