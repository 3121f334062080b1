package dev.muster.platform.work;

import dev.muster.platform.http.Owner;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Describes a request that may wait for its response.
 *
 * @param owner whose quota of waits it uses ({@code RequestOwner})
 * @param topic the wait key; each change that could produce a result wakes it
 * @param atMost how long it may wait; zero for no wait
 * @param look looks for a result; an exception ends the wait and goes to the caller
 * @param mayKeepWaiting checked every second, such as whether the caller is still authorized; when
 *     false, {@code look} runs at once
 * @param nothing the result after a time-out or at the shutdown
 */
public record LongPoll<T>(
    Owner owner,
    Object topic,
    Duration atMost,
    Supplier<PollResult<T>> look,
    BooleanSupplier mayKeepWaiting,
    T nothing) {

  /** Reports what a look has found. */
  public sealed interface PollResult<T> {

    /** A result, which ends the wait. */
    record Answer<T>(T value) implements PollResult<T> {}

    /**
     * No result yet.
     *
     * <p>{@code version} grows with every change that could produce a result, and is read before
     * the look. A newer version makes another look worthwhile.
     */
    record Nothing<T>(long version) implements PollResult<T> {}

    /**
     * No result yet, and not all was examined. A poll that waits looks again at once, where this
     * look ended; one that does not wait is answered with {@code value}.
     */
    record Unfinished<T>(T value) implements PollResult<T> {}
  }
}
