package dev.muster.agent;

import dev.muster.protocol.client.RetryDelay;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an agent: registers it, sends heartbeats and passes each message to the handler. The loop
 * ends when it is stopped, the workspace is paused or removed, a restart is requested, or the token
 * is revoked.
 *
 * {@snippet :
 * AgentClient client =
 *     AgentClient.builder("http://127.0.0.1:8080", workspaceId).tokenFile(tokenFile).build();
 * AgentLoop.builder(client)
 *     .registration(Registration.polling("Echo"))
 *     .answering((message, server) -> "you said " + message.text())
 *     .build()
 *     .run();
 * }
 *
 * <p>A failed call does not end the loop: it is retried with the server's own back-off. A separate
 * thread sends the heartbeats, also while a handler runs. The thread of {@link #run()} handles
 * polled messages one after the other. A handler that throws counts as a failure in the error rate,
 * one that returns as a success. {@link #stop()} is safe from any thread. All other methods belong
 * to the thread that built the loop.
 */
public final class AgentLoop implements AutoCloseable {

  /** Why the loop ended. */
  public enum End {
    /** {@link AgentLoop#stop()} was called, or the thread of the loop was interrupted. */
    STOPPED,
    /** The workspace is paused; run a new loop when it is resumed. */
    PAUSED,
    /** The workspace is removed permanently. */
    REMOVED,
    /** A restart of the agent was requested; end the process, so that its supervisor starts it. */
    RESTART,
    /** The server refused the token for a minute, although its file was read again each time. */
    REFUSED
  }

  private static final Logger log = LoggerFactory.getLogger(AgentLoop.class);

  /** Collects the settings of a loop. */
  public static final class Builder {

    private final AgentClient client;
    private final HeartbeatLoop.Builder heartbeat;
    private Duration stateInterval = Duration.ofSeconds(30);
    private Duration longestRefusal = Duration.ofMinutes(1);
    private ThreadFactory threads = Thread.ofPlatform().daemon().name("muster-agent").factory();
    private Consumer<End> endListener = end -> {};
    private @Nullable Registration registration;
    private @Nullable InboundDelivery delivery;
    private @Nullable MessageHandler handler;

    private Builder(AgentClient client) {
      this.client = client;
      this.heartbeat = HeartbeatLoop.builder(client);
    }

    /** Makes the loop register first. Without it, the agent must be registered already. */
    public Builder registration(Registration registration) {
      this.registration = registration;
      return this;
    }

    /** Sets the handler of the messages; required. */
    public Builder handler(MessageHandler handler) {
      this.handler = handler;
      return this;
    }

    /** {@link #handler} for a lambda that returns a text, or null for no reply. */
    public Builder answering(MessageHandler.TextHandler handler) {
      return handler(MessageHandler.text(handler));
    }

    /** Sets how messages arrive. The default polls and keeps the cursor in memory. */
    public Builder delivery(InboundDelivery delivery) {
      this.delivery = delivery;
      return this;
    }

    /** Replaces the process-wide wedge. */
    public Builder wedge(RuntimeWedge wedge) {
      heartbeat.wedge(wedge);
      return this;
    }

    /** Sets the interval between two reads of the workspace's state; default 30 s. */
    public Builder stateInterval(Duration interval) {
      this.stateInterval = interval;
      return this;
    }

    /**
     * Sets a listener that is called once with the reason of the end, while a handler may still
     * run. It can interrupt a handler that does not return by itself. It must not block.
     */
    public Builder onEnd(Consumer<End> listener) {
      this.endListener = listener;
      return this;
    }

    /** Sets how long the server may refuse the token; default 1 minute. Tests shorten it. */
    Builder longestRefusal(Duration limit) {
      this.longestRefusal = limit;
      return this;
    }

    /** Sets the factory of the two threads: daemons by default, virtual ones for many agents. */
    public Builder threads(ThreadFactory threads) {
      this.threads = threads;
      heartbeat.threads(threads);
      return this;
    }

    /** Makes the loop without starting it. */
    public AgentLoop build() {
      return new AgentLoop(this);
    }
  }

  private final AgentClient client;
  private final @Nullable Registration registration;
  private final InboundDelivery delivery;
  private final MessageHandler handler;
  private final HeartbeatLoop heartbeat;
  private final Duration stateInterval;
  private final Duration longestRefusal;
  private final ThreadFactory threads;
  private final Consumer<End> endListener;
  private final CancellationToken cancellation = new CancellationToken();
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private final AtomicBoolean begun = new AtomicBoolean();
  private long stateAskedAt;

  /** Nano time of the first refused token since the last accepted heartbeat; null if none. */
  private final AtomicReference<@Nullable Long> refusedSince = new AtomicReference<>();

  private AgentLoop(Builder builder) {
    client = builder.client;
    registration = builder.registration;
    stateInterval = builder.stateInterval;
    longestRefusal = builder.longestRefusal;
    threads = builder.threads;
    endListener = builder.endListener;
    delivery = builder.delivery == null ? PollDelivery.builder(client).build() : builder.delivery;
    heartbeat = builder.heartbeat.listener(new Statuses()).build();
    handler =
        new TrackingHandler(
            Objects.requireNonNull(builder.handler, "handler: none (expected: one)"),
            heartbeat,
            delivery);
  }

  /** Makes a loop for this client's workspace. */
  public static Builder builder(AgentClient client) {
    return new Builder(client);
  }

  /** Returns the heartbeat loop, to record other successes and failures or set capabilities. */
  public HeartbeatLoop heartbeat() {
    return heartbeat;
  }

  /**
   * Runs the loop on the caller's thread. A loop runs once.
   *
   * @return why the loop ended
   * @throws MusterException when the server refuses the registration, such as with 400, 401 or 403
   * @throws IllegalStateException when the loop ran before
   */
  public End run() {
    if (!begun.compareAndSet(false, true)) {
      throw new IllegalStateException("a loop runs once");
    }
    try {
      register();
      if (end.get() == null) {
        heartbeat.start();
      }
      stateAskedAt = System.nanoTime() - stateInterval.toNanos();
      int failures = 0;
      while (end.get() == null) {
        failures = turn() ? 0 : failures + 1;
        if (failures > 0) {
          rest(RetryDelay.before(failures, ThreadLocalRandom.current().nextDouble()));
        }
      }
    } finally {
      finish(End.STOPPED);
    }
    return Objects.requireNonNull(end.get());
  }

  /** Runs the loop on a new thread; a {@link MusterException} of {@link #run()} is logged. */
  public Thread start() {
    Thread thread =
        threads.newThread(() -> {
          try {
            log.info("the agent ended: {}", run());
          } catch (MusterException e) {
            log.error("the registration is refused: {}", e.getMessage());
          }
        });
    thread.start();
    return thread;
  }

  /** Ends the loop without waiting. {@link #run()} returns after a running handler has returned. */
  public void stop() {
    finish(End.STOPPED);
  }

  /** Calls {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  private void finish(End why) {
    if (end.compareAndSet(null, why)) {
      cancellation.cancel();
      heartbeat.stop();
      delivery.stop();
      endListener.accept(why);
    }
  }

  private void register() {
    Registration requested = registration;
    for (int failures = 0; requested != null && end.get() == null; ) {
      try {
        String status = client.register(requested);
        log.info("registered as workspace {}, which is {}", client.workspaceId(), status);
        if (status.equals("paused")) {
          finish(End.PAUSED);
        }
        return;
      } catch (MusterException e) {
        if (e.isRemoval()) {
          finish(End.REMOVED);
        } else if (!e.isTransient()) {
          throw e;
        } else {
          failures++;
          log.warn("not registered yet: {}", e.getMessage());
          rest(RetryDelay.before(failures, ThreadLocalRandom.current().nextDouble()));
        }
      }
    }
  }

  /** Checks the state and takes messages once; returns whether all calls succeeded. */
  private boolean turn() {
    try {
      askForState();
      if (end.get() == null && delivery.runOnce(handler) == 0) {
        rest(delivery.interval());
      }
      return true;
    } catch (MusterException e) {
      if (e.isRemoval()) {
        finish(End.REMOVED);
      } else if (end.get() == null) {
        log.warn("the agent continues after: {}", e.getMessage());
        noteRefusal(e);
      }
      return false;
    } catch (Throwable t) {
      log.error("the agent continues after an unexpected error", t);
      return false;
    }
  }

  /** Ends the loop when the token is refused for too long, although its file was read again. */
  private void noteRefusal(Exception failure) {
    if (!(failure instanceof MusterException e) || !e.refusesToken()) {
      return;
    }
    Long now = System.nanoTime();
    @Nullable Long since = refusedSince.compareAndExchange(null, now);
    if (since != null && now - since >= longestRefusal.toNanos()) {
      log.error(
          "the token has been refused for {}: it is revoked; give the agent a new one",
          longestRefusal);
      finish(End.REFUSED);
    }
  }

  private void askForState() {
    if (System.nanoTime() - stateAskedAt < stateInterval.toNanos()) {
      return;
    }
    stateAskedAt = System.nanoTime();
    AgentClient.WorkspaceState state =
        client.state(RequestTimeouts.once(Duration.ofSeconds(15)), cancellation);
    if (state.deleted()) {
      finish(End.REMOVED);
    } else if (state.paused()) {
      finish(End.PAUSED);
    }
  }

  /** Waits; an interrupt of the thread stops the loop. */
  private void rest(Duration time) {
    if (!cancellation.pause(time) && Thread.currentThread().isInterrupted()) {
      finish(End.STOPPED);
    }
  }

  /** Ends the loop by the status in heartbeat responses, which arrive during a long poll too. */
  private final class Statuses implements HeartbeatListener {

    private int accepted;
    private @Nullable Instant restartBefore;

    @Override
    public void accepted(String workspaceStatus) {
      refusedSince.set(null);
      accepted++;
      if (workspaceStatus.equals("paused")) {
        finish(End.PAUSED);
      }
    }

    /**
     * Ends the loop. Ignores a request that is older than this loop: without a registration only
     * the uptime shows the restart, so the first response may still contain the old request.
     */
    @Override
    public void restartRequested(Instant at) {
      if (registration == null && accepted == 1) {
        restartBefore = at;
      } else if (!at.equals(restartBefore)) {
        finish(End.RESTART);
      }
    }

    @Override
    public void missed(Exception why) {
      noteRefusal(why);
    }

    @Override
    public void removed(String reason) {
      finish(End.REMOVED);
    }
  }
}
