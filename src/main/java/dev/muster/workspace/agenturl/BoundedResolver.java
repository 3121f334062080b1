package dev.muster.workspace.agenturl;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A resolver that gives up in time, whatever the one behind it does.
 *
 * <p>The operating system's lookup can be neither interrupted nor given a limit, so it runs on a
 * virtual thread of its own, which is left behind when time is up.
 */
final class BoundedResolver implements HostResolver {
  /**
   * A lookup that hangs occupies a carrier thread, for which the JDK adds another one, up to 256 in
   * all; names that never answer must not use those up.
   */
  static final int MAX_RUNNING = 64;

  private final HostResolver inner;
  private final Duration limit;
  private final Semaphore running = new Semaphore(MAX_RUNNING);

  BoundedResolver(HostResolver inner, Duration limit) {
    this.inner = inner;
    this.limit = limit;
  }

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      if (!running.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new UnknownHostException(host);
      }
      FutureTask<List<InetAddress>> lookup = new FutureTask<>(() -> inner.resolve(host));
      start(lookup);
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

  private void start(Runnable lookup) {
    Thread.ofVirtual()
        .name("agent-url-lookup")
        .start(() -> {
          try {
            lookup.run();
          } finally {
            running.release(); // when the lookup ends, not when its caller has given up
          }
        });
  }
}
