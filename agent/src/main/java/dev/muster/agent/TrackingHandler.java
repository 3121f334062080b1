package dev.muster.agent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports a handler's tasks by heartbeats, and failed delegated tasks to the server. */
final class TrackingHandler implements MessageHandler {

  private static final Logger log = LoggerFactory.getLogger(TrackingHandler.class);
  private static final int MAX_TASK_LENGTH = 100;

  private final MessageHandler handler;
  private final HeartbeatLoop heartbeat;
  private final InboundDelivery delivery;

  TrackingHandler(MessageHandler handler, HeartbeatLoop heartbeat, InboundDelivery delivery) {
    this.handler = handler;
    this.heartbeat = heartbeat;
    this.delivery = delivery;
  }

  @Override
  public Reply handle(InboundMessage message, AgentClient client) throws Exception {
    begin(message);
    Reply reply;
    try {
      reply = handler.handle(message, client.workingOn(message.delegationId()));
    } catch (Throwable t) {
      end(message, client, t);
      throw t;
    }
    return switch (reply) {
      case Reply.Text text -> ended(message, client, text);
      case Reply.None none -> ended(message, client, none);
      case Reply.Later(var stage) ->
          new Reply.Later(stage.whenComplete((result, failure) -> end(message, client, failure)));
    };
  }

  private Reply ended(InboundMessage message, AgentClient client, Reply reply) {
    end(message, client, null);
    return reply;
  }

  private void begin(InboundMessage message) {
    String sender = (message.sourceWord() + " " + message.sourceId()).strip();
    log.info("message {} from {} goes to the handler", message.activityId(), sender);
    heartbeat.vitals().begun(task(message.text()));
    if (message.isDelegatedTask()) {
      heartbeat.vitals().worksOn(message.delegationId());
    }
  }

  private void end(InboundMessage message, AgentClient client, @Nullable Throwable failure) {
    heartbeat.vitals().ended();
    heartbeat.vitals().leaves(message.delegationId());
    if (failure == null) {
      log.info("message {} is handled", message.activityId());
      heartbeat.recordSuccess();
    } else if (!(failure instanceof InterruptedException)) {
      String text = failure.getMessage() == null ? failure.toString() : failure.getMessage();
      heartbeat.recordFailure(text);
      if (message.isDelegatedTask()) {
        report(message.delegationId(), text, client);
      }
    }
  }

  private void report(String delegationId, String text, AgentClient client) {
    try {
      delivery.reportFailure(delegationId, text, client);
    } catch (MusterException e) {
      log.warn("the failure of delegation {} cannot be reported: {}", delegationId, e.getMessage());
    }
  }

  private static String task(String text) {
    String line = text.strip().lines().findFirst().orElse("");
    return line.codePointCount(0, line.length()) <= MAX_TASK_LENGTH
        ? line
        : line.substring(0, line.offsetByCodePoints(0, MAX_TASK_LENGTH)) + "…";
  }
}
