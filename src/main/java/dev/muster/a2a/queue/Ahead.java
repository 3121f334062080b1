package dev.muster.a2a.queue;

/**
 * What waits for a target already.
 *
 * @param waiting how many messages, of all senders
 * @param ofSender whether one of the sender's is among them, or is being delivered: then a new one
 *     goes behind it (R7.7)
 */
public record Ahead(int waiting, boolean ofSender) {}
