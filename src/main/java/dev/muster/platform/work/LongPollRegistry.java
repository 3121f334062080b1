package dev.muster.platform.work;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.Quota;
import dev.muster.platform.http.Quota.Grant;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.LongPoll.PollResult;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Holds all long polls of this replica without a thread per poll.
 *
 * <p>A poll is registered, looks once, and then waits until its wait key is woken, its time is over
 * or the server stops.
 */
@Component
public class LongPollRegistry implements SmartLifecycle {

  private static final int MAX_WAITS_OF_WORKSPACES = 45_000;
  private static final int MAX_WAITS_OF_A_WORKSPACE = 256;

  /** People and canvases have their own quota, so that workspaces cannot use it up. */
  private static final int MAX_WAITS_OF_PEOPLE = 5_000;

  /** An eighth, so that all shares of one token leave half to others. */
  private static final int MAX_WAITS_OF_A_PERSON = 625;

  private static final Duration TICK = Duration.ofMillis(100);

  /** Bounds parallel looks, so that many woken polls leave connections to other requests. */
  private static final int MAX_CONCURRENT_LOOKS = 8;

  /** The same for a small pool. */
  private static final double MAX_PART_OF_THE_POOL = 0.4;

  /** Longer than any look waits for its turn. */
  private static final Duration UNTIL_FREE = Duration.ofDays(1);

  /** The polls by the type of their wait key, then by the key. */
  private final Map<Class<?>, Map<Object, Set<PendingPoll<?>>>> waiting = new ConcurrentHashMap<>();

  private final Set<PendingPoll<?>> all = ConcurrentHashMap.newKeySet();
  private final Quota ofWorkspaces = new Quota(MAX_WAITS_OF_WORKSPACES, MAX_WAITS_OF_A_WORKSPACE);
  private final Quota ofPeople = new Quota(MAX_WAITS_OF_PEOPLE, MAX_WAITS_OF_A_PERSON);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Quota looks;
  private final Pace pace;
  private final BackgroundLoop loop;
  private volatile boolean running;

  LongPollRegistry(MeterRegistry metrics, Pace pace, BackgroundLoops loops, HikariDataSource pool) {
    this.pace = pace;
    int looksOfPool = (int) (pool.getMaximumPoolSize() * MAX_PART_OF_THE_POOL);
    this.looks = new Quota(Math.clamp(looksOfPool, 1, MAX_CONCURRENT_LOOKS));
    Gauge.builder("muster.polls.waiting", all, Set::size)
        .description("Requests that are held until there is something to answer")
        .register(metrics);
    this.loop = loops.start("long-polls", TICK, this::lookAfterAll);
  }

  /**
   * Returns a future with the poll's result.
   *
   * <p>The future is done at once when there is a result, the wait is zero or the server stops. An
   * exception of a look fails the future, or is thrown here when the poll would not wait.
   *
   * <p>A poll that would wait needs a free slot (R6.7a). It is refused with {@code RATE_LIMITED}
   * when its owner's quota is used up, and with {@code UNAVAILABLE} when the total quota is.
   */
  public <T> CompletableFuture<T> await(LongPoll<T> poll) {
    if (!running || poll.atMost().isZero()) {
      return CompletableFuture.completedFuture(
          switch (poll.look().get()) {
            case PollResult.Answer<T>(T value) -> value;
            case PollResult.Unfinished<T>(T value) -> value;
            case PollResult.Nothing<T> _ -> poll.nothing();
          });
    }
    Grant grant = quota(poll.owner()).take(poll.owner(), 1);
    if (grant != Grant.GRANTED) {
      if (poll.look().get() instanceof PollResult.Answer<T>(T value)) {
        return CompletableFuture.completedFuture(value);
      }
      throw refusal(poll.owner(), grant);
    }
    return hold(poll);
  }

  /** Waits as {@link #await(LongPoll)} does, in a slot that was taken before for the same owner. */
  public <T> CompletableFuture<T> await(LongPoll<T> poll, Slot slot) {
    if (!slot.owner.equals(poll.owner())) {
      throw new IllegalArgumentException(
          "a slot of " + slot.owner + " (expected: one of " + poll.owner() + ")");
    }
    return slot.isGivenUp.compareAndSet(false, true) ? hold(poll) : await(poll);
  }

  private <T> CompletableFuture<T> hold(LongPoll<T> poll) {
    PendingPoll<T> one =
        new PendingPoll<>(poll, pace.of(poll.atMost()), work -> look(poll.owner(), work));
    register(one);
    one.lookFirst();
    if (!running) {
      one.giveUp();
    }
    return one.answer();
  }

  /**
   * Takes a slot for the owner's next poll, before work that needs one.
   *
   * <p>Refuses as {@link #await(LongPoll)} does. The caller must start a poll in the slot or close
   * it.
   */
  public Slot takeSlot(Owner owner) {
    Grant grant = quota(owner).take(owner, 1);
    if (grant != Grant.GRANTED) {
      throw refusal(owner, grant);
    }
    return new Slot(owner);
  }

  /** Reserves one wait in its owner's quota (R6.7a). */
  public final class Slot implements AutoCloseable {

    private final Owner owner;
    private final AtomicBoolean isGivenUp = new AtomicBoolean();

    private Slot(Owner owner) {
      this.owner = owner;
    }

    /** Releases the slot, unless a poll was started in it. */
    @Override
    public void close() {
      if (isGivenUp.compareAndSet(false, true)) {
        quota(owner).release(owner, 1);
      }
    }
  }

  private Quota quota(Owner owner) {
    return owner instanceof Owner.OfWorkspace ? ofWorkspaces : ofPeople;
  }

  private ProblemException refusal(Owner owner, Grant grant) {
    return grant == Grant.OWNER_FULL
        ? new ProblemException(
            ErrorCode.RATE_LIMITED,
            "too many of your requests wait on this server (at most: "
                + quota(owner).ownerLimit()
                + "); let some of them end first, or ask without wait")
        : ProblemException.unavailable(
            "no more requests can wait on this server right now; try again in a few seconds");
  }

  /** Registers the poll before its first look, so that no later wake-up is missed. */
  private void register(PendingPoll<?> one) {
    alike(one.topic())
        .compute(
            one.topic(),
            (topic, others) -> {
              Set<PendingPoll<?>> together =
                  others == null ? ConcurrentHashMap.newKeySet() : others;
              together.add(one);
              return together;
            });
    all.add(one);
    var _ = one.answer().whenComplete((answer, failure) -> leave(one));
  }

  private void leave(PendingPoll<?> one) {
    all.remove(one);
    quota(one.owner()).release(one.owner(), 1);
    alike(one.topic())
        .computeIfPresent(
            one.topic(),
            (topic, together) -> {
              together.remove(one);
              return together.isEmpty() ? null : together;
            });
  }

  /** Returns the polls of all wait keys of the type of this one. */
  private Map<Object, Set<PendingPoll<?>>> alike(Object topic) {
    return waiting.computeIfAbsent(topic.getClass(), _ -> new ConcurrentHashMap<>());
  }

  private Set<PendingPoll<?>> of(Object topic) {
    return alike(topic).getOrDefault(topic, Set.of());
  }

  /** Wakes the polls of these wait keys, which then look again. */
  public void wake(Collection<?> topics) {
    for (Object topic : topics) {
      of(topic).forEach(PendingPoll::wake);
    }
  }

  /** Returns how many polls wait for this key. */
  public int waitersOf(Object topic) {
    return of(topic).size();
  }

  /** Returns the lowest version seen by the polls of a wait key; empty without polls. */
  public OptionalLong seenByAll(Object topic) {
    return of(topic).stream().mapToLong(PendingPoll::version).min();
  }

  /** Returns the wait keys of one type that have polls. */
  public <K> List<K> topics(Class<K> kind) {
    return waiting.getOrDefault(kind, Map.of()).keySet().stream().map(kind::cast).toList();
  }

  private void look(Owner owner, Runnable work) {
    threads.execute(() -> {
      try {
        var _ = looks.await(owner, UNTIL_FREE);
      } catch (InterruptedException e) {
        return; // the server stops, and ends the poll
      }
      try {
        RequestDeadline.within(
            RequestDeadline.LIMIT,
            () -> {
              work.run();
              return true;
            });
      } finally {
        looks.release(owner, 1);
      }
    });
  }

  private void lookAfterAll() {
    long now = System.nanoTime();
    all.forEach(one -> one.tick(now));
  }

  @Override
  public void start() {
    running = true;
  }

  /** Ends all polls before the web server waits for its requests to end. */
  @Override
  public void stop() {
    running = false;
    loop.close();
    all.forEach(PendingPoll::giveUp);
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
