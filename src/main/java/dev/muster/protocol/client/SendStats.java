package dev.muster.protocol.client;

import java.time.Duration;

/**
 * The statistics of a send.
 *
 * @param attempts number of attempts; 0 when there was no time for one
 * @param deliveries attempts in which the peer may have received a byte
 */
public record SendStats(
    String target, int attempts, int maxAttempts, int deliveries, Duration elapsed) {}
