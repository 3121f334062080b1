package dev.muster.protocol.client;

import java.time.Duration;

/**
 * What a send took.
 *
 * @param attempts how many there were; 0 when there was no time for one
 * @param deliveries of how many attempts the peer may have got a byte
 */
public record SendStats(
    String target, int attempts, int maxAttempts, int deliveries, Duration elapsed) {}
