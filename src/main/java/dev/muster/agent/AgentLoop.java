package dev.muster.agent;

import dev.muster.protocol.client.RetryDelay;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole agent: registers, beats, and hands every message to its handler, until it is stopped, its
 * workspace paused or removed, or its token revoked.
 *
 * {@snippet :
 * AgentClient client =
 *     AgentClient.builder("http://127.0.0.1:8080", workspaceId).tokenFile(tokenFile).build();
 * AgentLoop.builder(client)
 *     .registration(Registration.polling("Echo"))
 *     .answering((message, platform) -> "you said " + message.text())
 *     .build()
 *     .run();
 * }
 *
 * <p>A call that fails ends nothing: it is made again, with the platform's own back-off. The
 * heartbeats have a thread of their own, and go on while a handler is at work; messages are handled
 * on the thread of {@link #run()}, one after the other. A handler that throws counts as a failure
 * in the error rate, one that returns as a success. {@link #stop()} is for any thread, all else for
 * the one that built it.
 */
public final class AgentLoop implements AutoCloseable {

  /** Why it ended. */
  public enum End {
    /** By {@link AgentLoop#stop()}. */
    STOPPED,
    /** The workspace is paused; run another loop when it is resumed. */
    PAUSED,
    /** The workspace is removed, for good. */
    REMOVED,
    /** The token was refused for a minute, however often its file was read again: it is revoked. */
    REFUSED
  }

  private static final Logger log = LoggerFactory.getLogger(AgentLoop.class);

  /** What a loop is made of. */
  public static final class Builder {

    private final AgentClient client;
    private final HeartbeatLoop.Builder heartbeat;
    private Duration stateInterval = Duration.ofSeconds(30);
    private Duration longestRefusal = Duration.ofMinutes(1);
    private ThreadFactory threads = Thread.ofPlatform().daemon().name("muster-agent").factory();
    private @Nullable Registration registration;
    private @Nullable InboundDelivery delivery;
    private @Nullable MessageHandler handler;

    private Builder(AgentClient client) {
      this.client = client;
      this.heartbeat = HeartbeatLoop.builder(client);
    }

    /** Registers first; without it, the agent is registered already. */
    public Builder registration(Registration registration) {
      this.registration = registration;
      return this;
    }

    /** What handles the messages. */
    public Builder handler(MessageHandler handler) {
      this.handler = handler;
      return this;
    }

    /** {@link #handler} for a lambda that returns a text, or null for no answer. */
    public Builder answering(MessageHandler.TextHandler handler) {
      return handler(MessageHandler.text(handler));
    }

    /** How messages come; else they are polled, with the cursor in memory. */
    public Builder delivery(InboundDelivery delivery) {
      this.delivery = delivery;
      return this;
    }

    /** Another wedge than the process-wide one. */
    public Builder wedge(RuntimeWedge wedge) {
      heartbeat.wedge(wedge);
      return this;
    }

    /** How often the workspace's state is asked for; 30 s. */
    public Builder stateInterval(Duration interval) {
      this.stateInterval = interval;
      return this;
    }

    /** For how long its token may be refused: a minute. Tests are in a hurry. */
    Builder longestRefusal(Duration limit) {
      this.longestRefusal = limit;
      return this;
    }

    /** Who makes the two threads, daemons by default; virtual ones for very many agents. */
    public Builder threads(ThreadFactory threads) {
      this.threads = threads;
      heartbeat.threads(threads);
      return this;
    }

    /** Not started yet. */
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
  private final CancellationToken cancellation = new CancellationToken();
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private final AtomicBoolean begun = new AtomicBoolean();
  private long stateAskedAt;

  /** When the platform first refused the token since it last heard a beat; null if it did not. */
  private final AtomicReference<@Nullable Long> refusedSince = new AtomicReference<>();

  private AgentLoop(Builder builder) {
    client = builder.client;
    registration = builder.registration;
    stateInterval = builder.stateInterval;
    longestRefusal = builder.longestRefusal;
    threads = builder.threads;
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

  /** Its heartbeats, to record what else succeeds and fails, or to set capabilities. */
  public HeartbeatLoop heartbeat() {
    return heartbeat;
  }

  /**
   * Runs on the caller's thread, once.
   *
   * @return why it ended
   * @throws MusterException when the platform does not admit the agent: 400, 401 or 403 to its
   *     registration
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

  /** Runs on a thread of its own; what {@link #run()} would throw ends up in the log. */
  public Thread start() {
    Thread thread =
        threads.newThread(() -> {
          try {
            log.info("the agent ended: {}", run());
          } catch (MusterException e) {
            log.error("the agent is not admitted: {}", e.getMessage());
          }
        });
    thread.start();
    return thread;
  }

  /** Ends it; a handler that is at work is waited for by whoever runs the loop. */
  public void stop() {
    finish(End.STOPPED);
  }

  /** {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  private void finish(End why) {
    if (end.compareAndSet(null, why)) {
      cancellation.cancel();
      heartbeat.stop();
      delivery.stop();
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

  /** Whether all calls went well. */
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
        log.warn("the agent goes on after: {}", e.getMessage());
        noteRefusal(e);
      }
      return false;
    } catch (Throwable t) {
      log.error("the agent goes on after an error", t);
      return false;
    }
  }

  /** Each refusal has made the client read the token's file again. */
  private void noteRefusal(Exception failure) {
    if (!(failure instanceof MusterException e) || e.status() != 401) {
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
    WorkspaceState state = client.state(RequestTimeouts.once(Duration.ofSeconds(15)), cancellation);
    if (state.deleted()) {
      finish(End.REMOVED);
    } else if (state.paused()) {
      finish(End.PAUSED);
    }
  }

  /** An interrupt of the thread that runs it is a way to stop it. */
  private void rest(Duration time) {
    if (!cancellation.pause(time) && Thread.currentThread().isInterrupted()) {
      finish(End.STOPPED);
    }
  }

  /** Every beat tells the status as well, also while a poll is held. */
  private final class Statuses implements HeartbeatListener {

    @Override
    public void heard(String workspaceStatus) {
      refusedSince.set(null);
      if (workspaceStatus.equals("paused")) {
        finish(End.PAUSED);
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
