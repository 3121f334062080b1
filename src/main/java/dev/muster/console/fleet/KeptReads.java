package dev.muster.console.fleet;

import com.github.benmanes.caffeine.cache.Cache;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whole reads that are kept for a time, and that callers who ask for the same one share. Only the
 * caller that reads needs a place of {@link WholeReads}.
 */
final class KeptReads<K, V> {

  /** Leaves time to respond within the deadline of a request. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(4);

  private final WholeReads reads;
  private final Cache<K, V> kept;
  private final Function<K, V> read;
  private final ConcurrentHashMap<K, CompletableFuture<V>> running = new ConcurrentHashMap<>();

  KeptReads(WholeReads reads, Cache<K, V> kept, Function<K, V> read) {
    this.reads = reads;
    this.kept = kept;
    this.read = read;
  }

  /**
   * Returns what is kept, or reads it. Refuses as {@link WholeReads#run} does, and with {@code
   * UNAVAILABLE} when another caller's read takes more than 4 s.
   */
  V of(K key, Owner owner) {
    long giveUpAt = System.nanoTime() + RequestDeadline.capping(MAX_WAIT).toNanos();
    while (true) {
      @Nullable V found = kept.getIfPresent(key);
      if (found != null) {
        return found;
      }
      CompletableFuture<V> own = new CompletableFuture<>();
      @Nullable CompletableFuture<V> other = running.putIfAbsent(key, own);
      if (other == null) {
        return readFor(key, owner, own);
      }
      @Nullable V made = await(other, giveUpAt - System.nanoTime());
      if (made != null) {
        return made;
      }
    }
  }

  private V readFor(K key, Owner owner, CompletableFuture<V> result) {
    try {
      @Nullable V madeMeanwhile = kept.getIfPresent(key);
      if (madeMeanwhile != null) {
        result.complete(madeMeanwhile);
        return madeMeanwhile;
      }
      V made = reads.run(owner, () -> read.apply(key));
      kept.put(key, made);
      result.complete(made);
      return made;
    } finally {
      running.remove(key, result);
      result.cancel(false); // unless it is complete
    }
  }

  /** Returns null when the other caller was refused or failed, which says nothing of this one. */
  private @Nullable V await(CompletableFuture<V> other, long nanos) {
    try {
      return other.get(nanos, TimeUnit.NANOSECONDS);
    } catch (CancellationException refused) {
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException("it completes with a result or is cancelled", e);
    } catch (TimeoutException e) {
      throw ProblemException.unavailable(
          "another request is reading the same for long; try again in a few seconds");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.unavailable("the server is shutting down");
    }
  }
}
