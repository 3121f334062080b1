package dev.muster.message.store;

import dev.muster.message.AppendResult;
import dev.muster.message.AppendResult.FeedFull;
import dev.muster.message.AppendResult.OtherContent;
import dev.muster.message.AppendResult.Repeated;
import dev.muster.message.AppendResult.Stored;
import dev.muster.message.NewActivity;
import dev.muster.message.store.FeedAppender.AppendDecision;
import dev.muster.message.store.FeedNotifier.StoredRow;
import dev.muster.platform.http.Quota;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.postgres.BatchLimits;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.platform.postgres.BatchRetry;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.GroupCommit;
import dev.muster.platform.postgres.HotStatements;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.work.BackgroundLoops;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Stores messages and the other rows of feeds, alone or in the batches of others. */
@Service
public class MessageStore {

  private static final long MAX_BATCH_BYTES = 4L << 20;
  private static final long MAX_SHARED_BYTES = 256L << 10;
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(300);

  private static final long MAX_CONCURRENT_ROW_BYTES = 2L << 20;

  /**
   * Longest duration of the transaction of a single row. With the waits before it, it stays below
   * the 5 s of R0.6.
   */
  private static final Duration SINGLE_LIMIT = Duration.ofSeconds(2);

  /**
   * Longest duration for a large row. The request's deadline leaves less after a wait for the slot.
   */
  private static final Duration LARGE_SINGLE_LIMIT = Duration.ofSeconds(4);

  /** Longest wait for a slot of {@link #singleRows}. */
  private static final Duration SLOT_TIMEOUT = Duration.ofSeconds(2);

  private static final int MAX_SINGLE_ROWS = 4;
  private static final int MAX_LARGE_SINGLE_ROWS = 1;

  private static final String NO_SLOT =
      "too many rows wait for their feeds; try again in a few seconds";

  /** Identifies a message (R7.3); one batch must not contain the same one twice. */
  private record MessageName(UUID workspaceId, @Nullable UUID senderId, String key) {}

  private final AppendStatement statement;
  private final FeedAppender appender;
  private final FeedNotifier notifier;
  private final HotStatements hot;
  private final CommitAwareTransactions transactions;
  private final StatementTimeouts timeouts;

  /** Few single rows run at a time, since each takes memory and a connection. */
  private final Quota singleRows = new Quota(MAX_SINGLE_ROWS);

  /**
   * Admits one row above 2 MiB at a time. Two at once would take twice as long and exceed the
   * limit.
   */
  private final Quota largeSingleRows = new Quota(MAX_LARGE_SINGLE_ROWS);

  private final GroupCommit<NewActivity, AppendDecision> commits;

  MessageStore(
      AppendStatement statement,
      FeedAppender appender,
      FeedNotifier notifier,
      HotStatements hot,
      CommitAwareTransactions transactions,
      StatementTimeouts timeouts,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.statement = statement;
    this.appender = appender;
    this.notifier = notifier;
    this.hot = hot;
    this.transactions = transactions;
    this.timeouts = timeouts;
    this.commits =
        new GroupCommit<>(
            "append",
            NewActivity::workspaceId,
            BatchLimits.byWeight(RowSize::estimate, MAX_BATCH_BYTES),
            this::commit,
            loops,
            metrics);
  }

  /**
   * Appends a row and returns after the commit. A row shares a group commit batch unless it is
   * large, or its feed stays locked or seems full. Throws {@code UNAVAILABLE} if the commit does
   * not succeed in time or its outcome is unknown.
   */
  public AppendResult append(NewActivity row) {
    if (RowSize.estimate(row) > MAX_SHARED_BYTES) {
      return appendSingle(row);
    }
    return commits
        .submitUnlessLockedFor(LOCK_TIMEOUT, row)
        .filter(AppendDecision.Final.class::isInstance)
        .map(decision -> ((AppendDecision.Final) decision).appended())
        .orElseGet(() -> appendSingle(row));
  }

  /**
   * Appends a row in a transaction of its own, which waits for the feed. It takes large rows, which
   * would delay a batch, rows of feeds that stay locked, and rows of feeds that seem full. Throws
   * {@code UNAVAILABLE} if no slot is free in time.
   */
  private AppendResult appendSingle(NewActivity row) {
    return RowSize.estimate(row) > MAX_CONCURRENT_ROW_BYTES
        ? appendSingle(row, largeSingleRows, LARGE_SINGLE_LIMIT)
        : appendSingle(row, singleRows, SINGLE_LIMIT);
  }

  private AppendResult appendSingle(NewActivity row, Quota slots, Duration limit) {
    return slots.run(
        RequestOwner.current(),
        SLOT_TIMEOUT,
        NO_SLOT,
        () ->
            transactions
                .withTimeout(limit)
                .runRetryingDeadlocks(_ -> {
                  timeouts.allow(limit);
                  return appender.append(List.of(row)).getFirst();
                }));
  }

  /**
   * Appends a row that an agent writes into its own feed. Throws {@code FEED_FULL} if the feed is
   * full. Such a row is no message, so it is never a duplicate message.
   */
  public Stored appendOwn(NewActivity row) {
    return switch (append(row)) {
      case Stored stored -> stored;
      case FeedFull full -> throw full.refusal();
      default -> throw new IllegalStateException("an agent's own row was read as a message");
    };
  }

  /**
   * Appends in the caller's transaction; the feeds stay locked until it ends. Rows of one feed get
   * their {@code seq} in the given order.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<AppendResult> appendAll(List<NewActivity> rows) {
    return rows.isEmpty() ? List.of() : appender.append(rows);
  }

  /**
   * Locks these feeds in the caller's transaction. The caller must not lock an existing delegation
   * afterwards, since other transactions lock delegations before feeds.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public void lock(Set<UUID> workspaceIds) {
    appender.lock(workspaceIds);
  }

  /**
   * Locks the unlocked ones of these feeds in the caller's transaction (SKIP LOCKED); returns which
   * it locked.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<UUID> lockSkippingLocked(Collection<UUID> workspaceIds) {
    return appender.lockSkippingLocked(workspaceIds);
  }

  /**
   * Makes appends with an older snapshot of the feed start again. For a transaction that has locked
   * the feed and changed what such an append has read, but appends nothing itself.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public void outdateSnapshots(UUID workspaceId) {
    appender.moveVersion(workspaceId);
  }

  /**
   * Appends a batch. Of rows with the same message id only the first is tried; its result decides
   * those of the others.
   */
  private List<BatchOutcome<AppendDecision>> commit(List<NewActivity> batch) {
    Map<MessageName, NewActivity> firsts = new HashMap<>();
    List<NewActivity> distinct =
        batch.stream()
            .filter(row -> nameOf(row) == null || firsts.putIfAbsent(nameOf(row), row) == null)
            .toList();
    List<BatchOutcome<AppendDecision>> committed = BatchRetry.run(distinct, this::run);
    if (distinct.size() == batch.size()) {
      return committed;
    }
    IdentityHashMap<NewActivity, BatchOutcome<AppendDecision>> outcomes = new IdentityHashMap<>();
    for (int i = 0; i < distinct.size(); i++) {
      outcomes.put(distinct.get(i), committed.get(i));
    }
    return batch.stream()
        .map(row -> {
          @Nullable BatchOutcome<AppendDecision> own = outcomes.get(row);
          return own != null ? own : repeat(row, firsts, outcomes);
        })
        .toList();
  }

  private static BatchOutcome<AppendDecision> repeat(
      NewActivity row,
      Map<MessageName, NewActivity> firsts,
      Map<NewActivity, BatchOutcome<AppendDecision>> outcomes) {
    NewActivity first = Objects.requireNonNull(firsts.get(nameOf(row)));
    BatchOutcome<AppendDecision> ofFirst = Objects.requireNonNull(outcomes.get(first));
    if (!(ofFirst
        instanceof
        BatchOutcome.Done<AppendDecision>(AppendDecision.Final(AppendResult appended)))) {
      return new BatchOutcome.Locked<>();
    }
    boolean isSame = Objects.equals(row.identity(), first.identity());
    return switch (appended) {
      case Stored stored ->
          done(isSame ? new Repeated(stored.id(), stored.seq()) : new OtherContent());
      case Repeated repeated -> done(isSame ? repeated : new OtherContent());
      default -> new BatchOutcome.Locked<>();
    };
  }

  private static BatchOutcome<AppendDecision> done(AppendResult appended) {
    return new BatchOutcome.Done<>(new AppendDecision.Final(appended));
  }

  private static @Nullable MessageName nameOf(NewActivity row) {
    return row.identity() == null
        ? null
        : new MessageName(row.workspaceId(), row.sourceId(), row.identity().key());
  }

  private List<BatchOutcome<AppendDecision>> run(List<NewActivity> rows) {
    List<AppendDecision> decisions = hot.run(statements -> statement.run(statements, rows));
    List<StoredRow> stored = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      if (decisions.get(i) instanceof AppendDecision.Final(Stored as)) {
        stored.add(new StoredRow(rows.get(i), as));
      }
    }
    notifier.appended(stored);
    return decisions.stream()
        .<BatchOutcome<AppendDecision>>map(decision ->
            decision instanceof AppendDecision.Busy
                ? new BatchOutcome.Locked<>()
                : new BatchOutcome.Done<>(decision))
        .toList();
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}
