package dev.muster.message;

import dev.muster.message.flow.QueueCompletion;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.MessageIdentity;
import dev.muster.message.store.Messages;
import dev.muster.message.store.Messages.StoredMessage;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.QueueState;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Messages that wait in a queue, for modules that take one back. */
@Service
public class WaitingMessages {

  private final Messages messages;
  private final OutcomeRepository outcomes;
  private final QueueCompletion completion;

  WaitingMessages(Messages messages, OutcomeRepository outcomes, QueueCompletion completion) {
    this.messages = messages;
    this.outcomes = outcomes;
    this.completion = completion;
  }

  /**
   * Ends a delegation's message if it still waits. Returns false and changes nothing while the
   * message is being sent. Runs in the caller's transaction, with the delegation's row locked.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean withdraw(DelegationMessage message, String why) {
    return messages
        .find(message.calleeId(), message.callerId(), MessageIdentity.keyOf(message.messageId()))
        .map(StoredMessage::key)
        .map(key -> completion.endWaiting(key, QueueState.DROPPED, why) || !isOpen(key))
        .orElse(true);
  }

  private boolean isOpen(ActivityKey key) {
    return outcomes.find(key).filter(found -> found.open() != null).isPresent();
  }
}
