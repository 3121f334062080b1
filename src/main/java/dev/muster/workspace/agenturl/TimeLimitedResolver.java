package dev.muster.workspace.agenturl;

import dev.muster.platform.quota.Quota;
import dev.muster.platform.quota.Slots;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A resolver that gives up in time, whatever the one behind it does.
 *
 * <p>The operating system's lookup can be neither interrupted nor given a limit, so it runs on a
 * virtual thread of its own, which is left behind when time is up.
 */
final class TimeLimitedResolver {
  /**
   * A lookup that hangs occupies a carrier thread, for which the JDK adds another one, up to 256 in
   * all; names that never answer must not use those up.
   */
  static final int MAX_RUNNING = 64;

  /** So that nobody holds them all by a name server that does not answer. */
  static final int MAX_RUNNING_OF_OWNER = 4;

  /** As many lookups run as may, and did so until time was up. */
  static final class TooManyException extends UnknownHostException {
    private static final long serialVersionUID = 1L;
  }

  private final HostResolver inner;
  private final Duration limit;
  private final Slots running = new Slots(new Quota(MAX_RUNNING, MAX_RUNNING_OF_OWNER));

  TimeLimitedResolver(HostResolver inner, Duration limit) {
    this.inner = inner;
    this.limit = limit;
  }

  /** {@code owner} is whose share a lookup takes: a value with {@code equals}. */
  List<InetAddress> resolve(String host, Object owner) throws UnknownHostException {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      if (!running.tryTake(owner, limit)) {
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
            running.release(owner); // when the lookup ends, not when its caller has given up
          }
        });
  }
}
