package dev.muster.workspace.agenturl;

import dev.muster.platform.http.Quota;
import dev.muster.workspace.agenturl.AgentUrlGuard.HostResolver;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Resolves names within a time limit, even when the resolver behind it blocks.
 *
 * <p>The operating system's look-up can neither be interrupted nor given a limit. So it runs on a
 * separate virtual thread, which is abandoned at the limit.
 */
final class TimeLimitedResolver {
  /**
   * The most concurrent look-ups. A blocked look-up occupies a carrier thread, which the JDK
   * replaces up to 256 in all. Names that never resolve must not use up all of those.
   */
  static final int MAX_RUNNING = 64;

  /**
   * The most concurrent look-ups of one owner. Otherwise one unresponsive name server could use
   * them all.
   */
  static final int MAX_RUNNING_OF_OWNER = 4;

  /** Thrown when no look-up slot became free within the time limit. */
  static final class TooManyException extends UnknownHostException {
    private static final long serialVersionUID = 1L;
  }

  private final HostResolver inner;
  private final Duration limit;
  private final Quota running = new Quota(MAX_RUNNING, MAX_RUNNING_OF_OWNER);

  TimeLimitedResolver(HostResolver inner, Duration limit) {
    this.inner = inner;
    this.limit = limit;
  }

  /**
   * Resolves a name.
   *
   * @param owner a value with {@code equals}, whose share of the slots the look-up uses
   * @throws TooManyException when no slot became free in time
   * @throws UnknownHostException when there is no address, or none in time
   */
  List<InetAddress> resolve(String host, Object owner) throws UnknownHostException {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      if (running.await(owner, limit) != Quota.Grant.GRANTED) {
        throw new TooManyException();
      }
      FutureTask<List<InetAddress>> lookup = new FutureTask<>(() -> inner.resolve(host));
      start(lookup, owner);
      return lookup.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new UnknownHostException(host);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownHostException(host);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownHostException) {
        throw new UnknownHostException(host);
      }
      throw new IllegalStateException("the resolver failed", e.getCause());
    }
  }

  private void start(Runnable lookup, Object owner) {
    Thread.ofVirtual()
        .name("agent-url-lookup")
        .start(() -> {
          try {
            lookup.run();
          } finally {
            running.release(owner, 1); // when the look-up ends, not when its caller stops waiting
          }
        });
  }
}
