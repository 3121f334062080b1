package dev.muster.message.flow;

import dev.muster.message.AppendResult;
import dev.muster.message.DelegationCallbacks;
import dev.muster.message.DelegationMessage;
import dev.muster.message.NewActivity;
import dev.muster.message.store.MessageStore;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.text.Text;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Appends replies to delegations. The reply and the end of the delegation are one transaction
 * (R8.7).
 */
@Component
public class DelegationReplies {

  /** Less than the 5 s of R0.6. */
  private static final Duration MAX_DURATION = Duration.ofSeconds(4);

  private final DelegationCallbacks delegations;

  private final MessageStore store;
  private final CommitAwareTransactions transactions;

  DelegationReplies(
      DelegationCallbacks delegations, MessageStore store, CommitAwareTransactions transactions) {
    this.delegations = delegations;
    this.store = store;
    this.transactions = transactions.withTimeout(MAX_DURATION);
  }

  /**
   * Returns the open delegation that a message replies to, if any.
   *
   * @param sender null for the canvas
   * @param message null for a request without one
   */
  public Optional<DelegationMessage> find(
      @Nullable UUID sender, UUID target, @Nullable ObjectNode message) {
    if (sender == null || message == null) {
      return Optional.empty();
    }
    JsonNode metadata = message.path("metadata");
    return text(metadata.path("delegation_id"))
        .or(() -> text(metadata.path("reply_to")))
        .flatMap(id -> delegations.findByReply(sender, target, id));
  }

  /** Returns the text without characters that the database cannot store (R0.8). */
  private static Optional<String> text(JsonNode value) {
    return value.isString() && !value.stringValue().isEmpty()
        ? Optional.of(Text.clean(value.stringValue()))
        : Optional.empty();
  }

  /**
   * Appends the reply and ends the delegation, which the row names whatever the reply names. Rolls
   * back unless the reply is a new row.
   */
  AppendResult append(NewActivity reply, DelegationMessage delegation) {
    String text = said(reply);
    return transactions.runRetryingDeadlocks(status -> {
      delegations.complete(delegation, text);
      AppendResult appended =
          store.appendAll(List.of(reply.about(delegation.delegationId()))).getFirst();
      if (!(appended instanceof AppendResult.Stored)) {
        status.setRollbackOnly();
      }
      return appended;
    });
  }

  private static String said(NewActivity reply) {
    String text = reply.content().text();
    return text.isEmpty() ? Objects.requireNonNull(reply.bodies().request()).text() : text;
  }
}
