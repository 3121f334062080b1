package dev.muster.platform.longpoll;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A question that may have to wait for its answer.
 *
 * @param owner whose share of the waits it takes ({@code RequestOwner})
 * @param topic what it waits for; whoever makes an answer possible wakes the topic
 * @param atMost how long it may wait
 * @param look asks the question; what it throws ends the wait and is the caller's answer
 * @param isGood whether the one who asks may still do so, cheaply; once not, {@code look} is asked,
 *     which knows what to throw
 * @param nothing the answer when the time is over, or the server goes down
 */
public record LongPoll<T>(
    Object owner,
    Object topic,
    Duration atMost,
    Supplier<PollResult<T>> look,
    BooleanSupplier isGood,
    T nothing) {}
