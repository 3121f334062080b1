package dev.muster.agent;

import dev.muster.agent.AgentClient.HeartbeatResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends periodic heartbeats on its own daemon thread, also while the agent works.
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
 * <p>The interval is 30 s, or what the server asks for. A change of the {@link RuntimeWedge}, which
 * the heartbeat reports, sends one at once. A failed heartbeat is sent again after pauses that grow
 * from 1 s to 16 s, but are at most a third of the silence that makes the agent offline. Only
 * {@link #stop()} and the removal of the workspace end the loop. All methods are safe from any
 * thread.
 */
public final class HeartbeatLoop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HeartbeatLoop.class);

  /** Collects the settings of a loop. */
  public static final class Builder {

    private final AgentClient client;
    private RuntimeWedge wedge = RuntimeWedge.ofProcess();
    private HeartbeatListener listener = new HeartbeatListener() {};
    private ThreadFactory threads = Thread.ofPlatform().daemon().name("muster-heartbeat").factory();
    private Duration leastGap = Duration.ofSeconds(1);

    private Builder(AgentClient client) {
      this.client = client;
    }

    /** Replaces the process-wide wedge. */
    public Builder wedge(RuntimeWedge wedge) {
      this.wedge = wedge;
      return this;
    }

    /** Sets the listener that receives the result of each heartbeat. */
    public Builder listener(HeartbeatListener listener) {
      this.listener = listener;
      return this;
    }

    /** Sets the factory of the one thread; virtual threads suit many agents in a process. */
    public Builder threads(ThreadFactory threads) {
      this.threads = threads;
      return this;
    }

    /** Sets the time between a heartbeat and a requested next one; 1 s. Tests shorten it. */
    Builder leastGap(Duration gap) {
      this.leastGap = gap;
      return this;
    }

    /** Makes the loop without starting it. */
    public HeartbeatLoop build() {
      return new HeartbeatLoop(this);
    }
  }

  private final AgentClient client;
  private final RuntimeWedge wedge;
  private final HeartbeatListener listener;
  private final Duration leastGap;
  private final AgentStatus agentStatus = new AgentStatus();
  private final CancellationToken cancellation = new CancellationToken();
  private final Runnable hurry = this::heartbeatNow;
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

  /** Makes a loop that sends heartbeats for this client's workspace. */
  public static Builder builder(AgentClient client) {
    return new Builder(client);
  }

  /** Starts the loop with an immediate heartbeat. A second start does nothing. */
  public synchronized void start() {
    if (thread.getState() == Thread.State.NEW && !cancellation.isCancelled()) {
      wedge.watch(hurry);
      thread.start();
    }
  }

  /** Ends the loop permanently and cancels a heartbeat in flight. */
  public void stop() {
    wedge.unwatch(hurry);
    cancellation.cancel();
    LockSupport.unpark(thread);
  }

  /** Calls {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  /** Returns whether the loop is started and not stopped. */
  public boolean isRunning() {
    return thread.isAlive() && !cancellation.isCancelled();
  }

  /** Requests a heartbeat now. Repeated requests give at most one heartbeat per second. */
  public void heartbeatNow() {
    wanted = true;
    LockSupport.unpark(thread);
  }

  /** Counts a successful request for the error rate since the last accepted heartbeat. */
  public void recordSuccess() {
    agentStatus.requests().succeeded();
  }

  /** Counts a failed request; {@code text} is for people, 4,096 characters at most, or null. */
  public void recordFailure(@Nullable String text) {
    agentStatus.requests().failed(text);
  }

  /** Sets the number of tasks; at {@code max_concurrent_tasks} the server sends no more. */
  public void setActiveTasks(int count) {
    agentStatus.activeTasks(count);
  }

  /** Sets the task that people see; {@code ""} for none. */
  public void setCurrentTask(String task) {
    agentStatus.currentTask(task);
  }

  /** Sets the delegations that the agent works on; each workspace heartbeat names them (R8.5). */
  public void setDelegations(Collection<String> delegationIds) {
    agentStatus.worksOnOnly(delegationIds);
  }

  /** Sets a capability, such as {@code status_mgmt}: the error rate does not decide the status. */
  public void setCapability(String name, boolean has) {
    agentStatus.capability(name, has);
  }

  /** Sets how long this agent may send nothing while it answers a message, in whole seconds. */
  public void setIdleTimeout(Duration limit) {
    agentStatus.idleTimeout(limit);
  }

  AgentStatus vitals() {
    return agentStatus;
  }

  private void run() {
    while (!cancellation.isCancelled()) {
      wanted = false;
      long began = System.nanoTime();
      rest(began, surviving());
    }
  }

  /** Sends a heartbeat and survives every failure: an OutOfMemoryError must not end the loop. */
  @SuppressWarnings("CatchingUnchecked")
  private Duration surviving() {
    try {
      return heartbeat();
    } catch (Throwable t) {
      missed++;
      try {
        log.error("a heartbeat failed unexpectedly", t);
      } catch (Throwable again) {
        // logging can fail too, for instance without memory
      }
      return client.cadence().backOff(missed);
    }
  }

  private Duration heartbeat() {
    var counts = agentStatus.requests().now();
    try {
      HeartbeatResponse response =
          client.heartbeat(agentStatus.heartbeat(wedge.reason(), counts), cancellation);
      agentStatus.requests().reported(counts);
      if (missed > 0) {
        log.info("heartbeats succeed again");
      }
      missed = 0;
      notifyListener(listener -> listener.accepted(response.workspaceStatus()));
      response
          .restartRequestedAt()
          .ifPresent(at -> notifyListener(listener -> listener.restartRequested(at)));
      return client.cadence().heartbeatInterval();
    } catch (MusterException e) {
      if (e.isRemoval() || e.status() == 410) {
        stop();
        log.warn("the workspace is removed: {}", e.getMessage());
        notifyListener(listener -> listener.removed(String.valueOf(e.getMessage())));
        return Duration.ZERO;
      }
      missed++;
      if (!cancellation.isCancelled()) {
        log.warn("heartbeat missed, {} in a row: {}", missed, e.getMessage());
        notifyListener(listener -> listener.missed(e));
      }
      return client.cadence().backOff(missed);
    }
  }

  private void notifyListener(Consumer<HeartbeatListener> notification) {
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
      boolean ignored = Thread.interrupted(); // a set flag would make the loop spin
    }
  }
}
