package dev.muster.activity;

import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** Receives the notifications that name the canvas message that they answer, after the commit. */
public interface NotificationListener {

  /**
   * Reports a notification.
   *
   * @param workspaceId the workspace whose agent answers
   * @param messageId the id of the message, as the agent gave it
   * @param answer the notification as a message: {@code messageId} and {@code parts}
   */
  void answered(UUID workspaceId, String messageId, ObjectNode answer);
}
