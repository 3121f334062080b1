package dev.muster.agent;

import dev.muster.agent.RequestCounter.Counts;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the platform again and again that the agent lives, and how well, on a daemon thread of its
 * own: beats go on while the agent works.
 *
 * {@snippet :
 * HeartbeatLoop heartbeat = HeartbeatLoop.builder(client).build();
 * heartbeat.setCapability("status_mgmt", true);
 * heartbeat.start();
 * try {
 *   work();
 *   heartbeat.recordSuccess();
 * } catch (WorkException e) {
 *   heartbeat.recordFailure(e.getMessage());
 * }
 * }
 *
 * <p>Every 30 seconds, or as the platform asks for; at once when the {@link RuntimeWedge} changes,
 * which it passes on. A beat that fails comes again after a while, with the platform's own back-off
 * and never later than a third of the silence after which the agent would count as offline. Nothing
 * but {@link #stop()} and the removal of the workspace ends it. All methods are safe from any
 * thread.
 */
public final class HeartbeatLoop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HeartbeatLoop.class);

  /** What a loop is made of. */
  public static final class Builder {

    private final AgentClient client;
    private RuntimeWedge wedge = RuntimeWedge.ofProcess();
    private HeartbeatListener listener = new HeartbeatListener() {};
    private ThreadFactory threads = Thread.ofPlatform().daemon().name("muster-heartbeat").factory();
    private Duration leastGap = Duration.ofSeconds(1);

    private Builder(AgentClient client) {
      this.client = client;
    }

    /** Another wedge than the process-wide one. */
    public Builder wedge(RuntimeWedge wedge) {
      this.wedge = wedge;
      return this;
    }

    /** Who hears how the beats go. */
    public Builder listener(HeartbeatListener listener) {
      this.listener = listener;
      return this;
    }

    /** Who makes the one thread; virtual ones for very many agents in a process. */
    public Builder threads(ThreadFactory threads) {
      this.threads = threads;
      return this;
    }

    /** However often one is asked for, beats are so far apart: a second. Tests are in a hurry. */
    Builder leastGap(Duration gap) {
      this.leastGap = gap;
      return this;
    }

    /** Not started yet. */
    public HeartbeatLoop build() {
      return new HeartbeatLoop(this);
    }
  }

  private final AgentClient client;
  private final RuntimeWedge wedge;
  private final HeartbeatListener listener;
  private final Duration leastGap;
  private final AgentStatus vitals = new AgentStatus();
  private final RequestCounter tally = new RequestCounter();
  private final CancellationToken cancellation = new CancellationToken();
  private final Runnable hurry = this::beatNow;
  private final Thread thread;
  private volatile boolean wanted;
  private int missed;

  private HeartbeatLoop(Builder builder) {
    client = builder.client;
    wedge = builder.wedge;
    listener = builder.listener;
    leastGap = builder.leastGap;
    thread = builder.threads.newThread(this::run);
  }

  /** Makes a loop that beats for this client's workspace. */
  public static Builder builder(AgentClient client) {
    return new Builder(client);
  }

  /** Begins with a beat at once. A second start does nothing. */
  public synchronized void start() {
    if (thread.getState() == Thread.State.NEW && !cancellation.isCancelled()) {
      wedge.watch(hurry);
      thread.start();
    }
  }

  /** Ends it for good, a beat that is under way included. */
  public void stop() {
    wedge.unwatch(hurry);
    cancellation.cancel();
    LockSupport.unpark(thread);
  }

  /** {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  /** Whether it beats: it was started, and not yet stopped. */
  public boolean isRunning() {
    return thread.isAlive() && !cancellation.isCancelled();
  }

  /** Asks for a beat without waiting for its time; however often, there is at most one a second. */
  public void beatNow() {
    wanted = true;
    LockSupport.unpark(thread);
  }

  /** A request of the agent's went well. The error rate is of all since the last heard beat. */
  public void recordSuccess() {
    tally.succeeded();
  }

  /** A request of the agent's failed; the text is what people read, 4,096 characters at most. */
  public void recordFailure(@Nullable String text) {
    tally.failed(text);
  }

  /** How many tasks it works on; at its {@code max_concurrent_tasks} it is sent no more. */
  public void setActiveTasks(int count) {
    vitals.activeTasks(count);
  }

  /** What it works on, for people; {@code ""} for nothing. */
  public void setCurrentTask(String task) {
    vitals.currentTask(task);
  }

  /** The delegations it works on: each beat says for them that somebody is at it. */
  public void setDelegations(Collection<String> delegationIds) {
    vitals.worksOnOnly(delegationIds);
  }

  /** Such as {@code status_mgmt}: the agent judges its status itself, whatever its error rate. */
  public void setCapability(String name, boolean has) {
    vitals.capability(name, has);
  }

  /** How long this agent may say nothing while it answers a message. */
  public void setIdleTimeout(Duration limit) {
    vitals.idleTimeout(limit);
  }

  AgentStatus vitals() {
    return vitals;
  }

  private void run() {
    while (!cancellation.isCancelled()) {
      wanted = false;
      long began = System.nanoTime();
      Duration next = surviving();
      rest(began, next);
    }
  }

  /** Not even a lack of memory is a reason to fall silent. */
  @SuppressWarnings("CatchingUnchecked")
  private Duration surviving() {
    try {
      return heartbeat();
    } catch (Throwable t) {
      missed++;
      try {
        log.error("a heartbeat went wrong", t);
      } catch (Throwable again) {
        // there is nobody left to tell
      }
      return client.cadence().backOff(missed);
    }
  }

  private Duration heartbeat() {
    Counts counts = tally.now();
    try {
      String status = client.heartbeat(vitals.heartbeat(wedge.reason(), counts), cancellation);
      tally.reported(counts);
      if (missed > 0) {
        log.info("heartbeats are heard again");
      }
      missed = 0;
      notifyListeners(heard -> heard.heard(status));
      return client.cadence().heartbeatInterval();
    } catch (MusterException e) {
      if (e.isRemoval() || e.status() == 410) {
        stop();
        log.warn("the workspace is removed: {}", e.getMessage());
        notifyListeners(heard -> heard.removed(String.valueOf(e.getMessage())));
        return Duration.ZERO;
      }
      missed++;
      if (!cancellation.isCancelled()) {
        log.warn("heartbeat missed, {} in a row: {}", missed, e.getMessage());
        notifyListeners(heard -> heard.missed(e));
      }
      return client.cadence().backOff(missed);
    }
  }

  private void notifyListeners(Consumer<HeartbeatListener> notification) {
    try {
      notification.accept(listener);
    } catch (Throwable t) {
      log.error("the listener to the heartbeats failed", t);
    }
  }

  private void rest(long began, Duration next) {
    long due = System.nanoTime() + next.toNanos();
    while (!cancellation.isCancelled()) {
      long now = System.nanoTime();
      long left = wanted ? Math.min(due - now, began + leastGap.toNanos() - now) : due - now;
      if (left <= 0) {
        return;
      }
      LockSupport.parkNanos(this, left);
      boolean _ = Thread.interrupted(); // it ends by stop() alone, and must not spin
    }
  }
}
