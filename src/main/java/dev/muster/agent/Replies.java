package dev.muster.agent;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends what a handler says to those who wait for it, and so that no two agents go on for ever. */
final class Replies {

  private static final Logger log = LoggerFactory.getLogger(Replies.class);

  private final AgentClient client;

  Replies(AgentClient client) {
    this.client = client;
  }

  /** A reply that cannot be delivered is logged: its message is handled all the same. */
  void send(InboundMessage message, String text) {
    try {
      if (message.isAnswer() || answersOwnTask(message)) {
        log.info("message {} is an answer itself and gets none", message.activityId());
      } else {
        client.reply(message, text, replyId(message));
      }
    } catch (MusterException e) {
      if (e.code().equals("MESSAGE_ID_REUSED")) {
        log.info("message {} was answered before", message.activityId());
      } else {
        log.warn("the reply to message {} failed: {}", message.activityId(), e.getMessage());
      }
    } catch (IllegalArgumentException e) {
      log.warn("the reply to message {} is dropped: {}", message.activityId(), e.getMessage());
    }
  }

  /** Agents of other libraries name only the delegation; the ledger knows whose it is. */
  private boolean answersOwnTask(InboundMessage message) {
    if (!isAmbiguous(message)) {
      return false;
    }
    try {
      Delegation delegation = client.delegation(message.delegationId(), Duration.ZERO);
      return delegation.raw().path("source_id").asString("").equals(client.workspaceId());
    } catch (MusterException e) {
      log.debug("delegation {} is not known: {}", message.delegationId(), e.getMessage());
      return false;
    }
  }

  private static boolean isAmbiguous(InboundMessage message) {
    return message.source() == InboundSource.PEER_AGENT
        && !message.delegationId().isEmpty()
        && !message.isDispatched();
  }

  /**
   * The same after a restart: a message that is handled twice is answered once. Where a task cannot
   * be told from thanks for its result, there is one answer for the delegation: the platform
   * recognises the second, and does not deliver it.
   */
  private String replyId(InboundMessage message) {
    String what =
        isAmbiguous(message)
            ? message.sourceId() + "/" + message.delegationId()
            : message.activityId();
    String name = client.workspaceId() + "/" + what;
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
