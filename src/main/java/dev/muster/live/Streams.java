package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.event.LastValues;
import dev.muster.event.LiveEvents;
import dev.muster.live.Source.LastValueSource;
import dev.muster.live.Source.LiveSource;
import dev.muster.live.Source.RecordedSource;
import dev.muster.live.Source.TickingSource;
import dev.muster.live.StreamSubscriber.View;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.Quota;
import dev.muster.platform.http.Quota.Grant;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Opens, wakes, checks and closes the streams of this replica, and counts them (docs/api.md,
 * section 11).
 */
@Component
class Streams implements SmartLifecycle {

  private static final LimitedLog slow = new LimitedLog(Streams.class);

  private static final int MAX_STREAMS_OF_WORKSPACES = 6_000;
  private static final int MAX_STREAMS_OF_A_WORKSPACE = 50;

  /** People and canvases have their own quota, so that workspaces cannot use it up. */
  private static final int MAX_STREAMS_OF_PEOPLE = 4_000;

  /** An eighth, so that all shares of one token leave half to others. */
  private static final int MAX_STREAMS_OF_A_PERSON = 500;

  private static final Duration TICK = Duration.ofMillis(250);
  private static final Duration BATCH_INTERVAL = Duration.ofMillis(50);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(2);

  /** Tracks the owner of one stream, and when its next ping and credential check are due. */
  private static final class Timers {

    private final StreamKind kind;
    private final Owner owner;
    private final long pingInterval;
    private final long recheckInterval;
    private long pingAt;
    private long recheckAt;

    Timers(StreamKind kind, Owner owner, StreamTimes times) {
      this.kind = kind;
      this.owner = owner;
      this.pingInterval = times.ping(kind).toNanos();
      this.recheckInterval = times.recheck().toNanos();
      this.pingAt = System.nanoTime() + pingInterval;
      this.recheckAt = System.nanoTime() + recheckInterval;
    }

    boolean isPingDue() {
      boolean due = System.nanoTime() - pingAt >= 0;
      pingAt += due ? pingInterval : 0;
      return due;
    }

    boolean isRecheckDue() {
      boolean due = System.nanoTime() - recheckAt >= 0;
      recheckAt += due ? recheckInterval : 0;
      return due;
    }
  }

  private final EventLog events;
  private final LiveEvents live;
  private final LastValues values;
  private final MeterRegistry metrics;
  private final InstantSource clock;
  private final StreamTimes times;
  private final Map<EventStream, Timers> open = new ConcurrentHashMap<>();
  private final Map<StreamKind, AtomicInteger> openOfKind = new EnumMap<>(StreamKind.class);
  private final Quota ofWorkspaces =
      new Quota(MAX_STREAMS_OF_WORKSPACES, MAX_STREAMS_OF_A_WORKSPACE);
  private final Quota ofPeople = new Quota(MAX_STREAMS_OF_PEOPLE, MAX_STREAMS_OF_A_PERSON);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Serves a stream only some time after its wake-up, so that events come in batches. */
  private final Executor paced =
      CompletableFuture.delayedExecutor(BATCH_INTERVAL.toMillis(), TimeUnit.MILLISECONDS, threads);

  private final BackgroundLoop loop;
  private volatile boolean running;

  Streams(
      EventLog events,
      LiveEvents live,
      LastValues values,
      MeterRegistry metrics,
      BackgroundLoops loops,
      InstantSource clock,
      StreamTimes times) {
    this.events = events;
    this.live = live;
    this.values = values;
    this.metrics = metrics;
    this.clock = clock;
    this.times = times;
    registerMeters();
    this.loop = loops.start("streams", TICK, this::lookAfterAll);
    events.onNewEvents(this::wakeAll);
    live.onNewEvents(this::wakeAll);
  }

  private void registerMeters() {
    for (StreamKind kind : StreamKind.values()) {
      AtomicInteger count = new AtomicInteger();
      openOfKind.put(kind, count);
      Gauge.builder("muster.streams", count, AtomicInteger::get)
          .description("Open live streams")
          .tag("kind", kind.word())
          .register(metrics);
      for (StreamEnd reason : StreamEnd.values()) {
        closedStreams(kind, reason);
      }
    }
  }

  private AtomicInteger openOf(StreamKind kind) {
    return Objects.requireNonNull(openOfKind.get(kind));
  }

  private Counter closedStreams(StreamKind kind, StreamEnd reason) {
    return Counter.builder("muster.streams.closed")
        .description("Live streams that were closed")
        .tags("kind", kind.word(), "reason", reason.word())
        .register(metrics);
  }

  /**
   * Opens a stream that begins after the event {@code after}; the caller must start or end it.
   * Refuses with {@code RATE_LIMITED} when its owner has used up its share. Refuses with {@code
   * UNAVAILABLE} when this replica has no free stream, is shutting down, or the database does not
   * answer.
   */
  EventStream open(StreamKind kind, StreamSubscriber subscriber, Sink sink, long after) {
    Timers timers = new Timers(kind, subscriber.owner(), times);
    takeSlot(timers.owner);
    boolean isConsole = subscriber.view() == View.CONSOLE;
    try {
      if (!isConsole) {
        watch(timers);
      }
    } catch (RuntimeException | Error e) {
      releaseSlot(timers.owner);
      throw e;
    }
    EventStream stream =
        new EventStream(
            subscriber,
            sink,
            sources(subscriber, after),
            isConsole ? paced : threads,
            times.timeout(),
            this::closed);
    open.put(stream, timers);
    openOf(kind).incrementAndGet();
    if (!running) {
      stream.end(StreamEnd.SHUTDOWN);
    }
    return stream;
  }

  private Quota quota(Owner owner) {
    return owner instanceof Owner.OfWorkspace ? ofWorkspaces : ofPeople;
  }

  private void takeSlot(Owner owner) {
    switch (running ? quota(owner).take(owner, 1) : Grant.FULL) {
      case GRANTED -> {}
      case OWNER_FULL ->
          throw new ProblemException(
              ErrorCode.RATE_LIMITED,
              "this credential has "
                  + quota(owner).ownerLimit()
                  + " open streams here, the most it may; close some first");
      case FULL ->
          throw ProblemException.unavailable(
              "no more streams can be opened on this server right now; try again in a few seconds");
    }
  }

  private void releaseSlot(Owner owner) {
    quota(owner).release(owner, 1);
  }

  private void watch(Timers watcher) {
    values.watch(watcher);
    try {
      live.watch(watcher);
    } catch (RuntimeException e) {
      values.unwatch(watcher);
      throw e;
    }
  }

  /**
   * Creates the sources. The caller has subscribed before, so no live event or last value is
   * missed. Live events come first: that of a new workspace is published before the recorded one.
   */
  private List<Source> sources(StreamSubscriber subscriber, long after) {
    EventAudience audience = subscriber.audience();
    RecordedSource recorded =
        new RecordedSource(events, subscriber.owner(), audience, after, clock);
    return switch (subscriber.view()) {
      case EVERYTHING ->
          List.of(new LiveSource(live, audience), recorded, new LastValueSource(values, audience));
      case CONSOLE -> List.of(new TickingSource(recorded, times.consoleTick()));
    };
  }

  private void wakeAll() {
    open.keySet().forEach(EventStream::wake);
  }

  private void closed(EventStream stream, StreamEnd reason) {
    @Nullable Timers timers = open.remove(stream);
    if (timers != null) {
      releaseSlot(timers.owner);
      values.unwatch(timers);
      live.unwatch(timers);
      openOf(timers.kind).decrementAndGet();
      closedStreams(timers.kind, reason).increment();
      if (reason == StreamEnd.SLOW) {
        slow.log(Level.INFO, "closed a {} that reads too slowly", timers.kind.word());
      }
    }
  }

  private void lookAfterAll() {
    open.forEach((stream, timers) -> {
      stream.tick();
      if (timers.isRecheckDue()) {
        stream.recheckCredential();
      }
      if (timers.isPingDue()) {
        stream.ping();
      }
    });
  }

  @Override
  public void start() {
    running = true;
  }

  /**
   * Ends all streams. It runs before the web server waits for its requests, because streams do not
   * end by themselves.
   */
  @Override
  public void stop() {
    running = false;
    loop.close();
    open.keySet().forEach(stream -> stream.end(StreamEnd.SHUTDOWN));
    long giveUpAt = System.nanoTime() + SHUTDOWN_TIMEOUT.toNanos();
    while (!open.isEmpty() && System.nanoTime() < giveUpAt) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    open.keySet().forEach(stream -> stream.abort(StreamEnd.SHUTDOWN));
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
