package dev.muster.a2a;

import java.util.UUID;

/**
 * A message that is carried for the sake of a delegation.
 *
 * @param callerId who sends it, or gets the reply
 * @param calleeId who gets it, or replies
 * @param messageId of the message to the callee
 */
public record Errand(String delegationId, UUID callerId, UUID calleeId, String messageId) {}
