package dev.muster.activity;

import dev.muster.activity.Appended.FeedFull;
import dev.muster.activity.Appended.OtherContent;
import dev.muster.activity.Appended.Repeated;
import dev.muster.activity.Appended.Stored;
import dev.muster.platform.commit.BatchAttempts;
import dev.muster.platform.commit.BatchLimits;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.commit.CommitRider;
import dev.muster.platform.commit.GroupCommit;
import dev.muster.platform.commit.Outcome;
import dev.muster.platform.postgres.HotStatements;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Writes into feeds; the activity log's face to the other modules. */
@Service
public class Feeds {

  private static final long LARGEST_BATCH = 4L << 20;
  private static final long LARGEST_SHARED = 256L << 10;
  private static final Duration BUSY_PATIENCE = Duration.ofMillis(300);

  /** What names a message (R7.3): no two of one batch may be the same. */
  private record MessageName(UUID workspaceId, @Nullable UUID senderId, String key) {}

  private final AppendStatement statement;
  private final FeedAppender appender;
  private final PatientWrites patient;
  private final RecentRows recent;
  private final FeedSignals signals;
  private final ReadPositions positions;
  private final HotStatements hot;
  private final JdbcTemplate db;
  private final CertainTransactions transactions;
  private final GroupCommit<NewActivity, Verdict> commits;

  Feeds(
      AppendStatement statement,
      FeedAppender appender,
      PatientWrites patient,
      RecentRows recent,
      FeedSignals signals,
      ReadPositions positions,
      HotStatements hot,
      JdbcTemplate db,
      CertainTransactions transactions,
      MeterRegistry metrics) {
    this.statement = statement;
    this.appender = appender;
    this.patient = patient;
    this.recent = recent;
    this.signals = signals;
    this.positions = positions;
    this.hot = hot;
    this.db = db;
    this.transactions = transactions;
    this.commits =
        new GroupCommit<>(
            "append",
            NewActivity::workspaceId,
            BatchLimits.byWeight(RowSize::estimate, LARGEST_BATCH),
            this::commit,
            metrics);
  }

  /**
   * Returns after the commit, which it shares with others unless it is large; throws {@code
   * UNAVAILABLE} when that cannot be had, or known, in time.
   */
  public Appended append(NewActivity row) {
    if (RowSize.estimate(row) > LARGEST_SHARED) {
      return patient.append(row);
    }
    return commits
        .submitUnlessBusyFor(BUSY_PATIENCE, row)
        .filter(Verdict.Final.class::isInstance)
        .map(verdict -> ((Verdict.Final) verdict).appended())
        .orElseGet(() -> patient.append(row));
  }

  /**
   * A row that an agent writes of itself, which is no message and so never a repeated one; refuses
   * with {@code FEED_FULL}.
   */
  Stored appendOwn(NewActivity row) {
    return switch (append(row)) {
      case Stored stored -> stored;
      case FeedFull full -> throw full.refusal();
      default -> throw new IllegalStateException("a row of an agent's own was taken for a message");
    };
  }

  /**
   * Appends in the caller's transaction; the feeds stay locked until it ends. Rows of one feed get
   * their places in the order given.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Appended> appendAll(List<NewActivity> rows) {
    return rows.isEmpty() ? List.of() : appender.append(rows);
  }

  /** Locks these feeds in the caller's transaction, before it locks any delegation. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void lock(Set<UUID> workspaceIds) {
    appender.lock(workspaceIds);
  }

  /** Up to where its own token has polled the feed, as far as this replica knows (R3.2). */
  public long readPosition(UUID workspaceId) {
    return positions.of(workspaceId);
  }

  /** What is kept of rows of these feeds has changed, by a transaction that is committed. */
  public void tellOfChanges(Set<UUID> workspaceIds) {
    signals.grown(workspaceIds);
  }

  /** Of rows with one name only the first is tried; its result is that of the others. */
  private List<Outcome<Verdict>> commit(List<NewActivity> batch) {
    Map<MessageName, NewActivity> firsts = new HashMap<>();
    List<NewActivity> distinct =
        batch.stream()
            .filter(row -> nameOf(row) == null || firsts.putIfAbsent(nameOf(row), row) == null)
            .toList();
    List<Outcome<Verdict>> committed = BatchAttempts.run(distinct, this::run);
    if (distinct.size() == batch.size()) {
      return committed;
    }
    IdentityHashMap<NewActivity, Outcome<Verdict>> outcomes = new IdentityHashMap<>();
    for (int i = 0; i < distinct.size(); i++) {
      outcomes.put(distinct.get(i), committed.get(i));
    }
    return batch.stream()
        .map(row -> {
          @Nullable Outcome<Verdict> own = outcomes.get(row);
          return own != null ? own : repeat(row, firsts, outcomes);
        })
        .toList();
  }

  private static Outcome<Verdict> repeat(
      NewActivity row,
      Map<MessageName, NewActivity> firsts,
      Map<NewActivity, Outcome<Verdict>> outcomes) {
    NewActivity first = Objects.requireNonNull(firsts.get(nameOf(row)));
    Outcome<Verdict> ofFirst = Objects.requireNonNull(outcomes.get(first));
    if (!(ofFirst instanceof Outcome.Done<Verdict>(Verdict.Final(Appended appended)))) {
      return new Outcome.Busy<>();
    }
    boolean isSame = Objects.equals(row.identity(), first.identity());
    return switch (appended) {
      case Stored stored ->
          done(isSame ? new Repeated(stored.id(), stored.seq()) : new OtherContent());
      case Repeated repeated -> done(isSame ? repeated : new OtherContent());
      default -> new Outcome.Busy<>();
    };
  }

  private static Outcome<Verdict> done(Appended appended) {
    return new Outcome.Done<>(new Verdict.Final(appended));
  }

  private static @Nullable MessageName nameOf(NewActivity row) {
    return row.identity() == null
        ? null
        : new MessageName(row.workspaceId(), row.sourceId(), row.identity().key());
  }

  /** With a rider in a transaction, else by the statement alone, which commits itself. */
  private List<Outcome<Verdict>> run(List<NewActivity> rows) {
    List<Verdict> verdicts =
        CommitRider.current() == null
            ? hot.run(statements -> statement.run(statements, rows))
            : transactions.run(() -> statement.run(db, rows));
    List<NewActivity> stored = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      if (verdicts.get(i) instanceof Verdict.Final(Stored as)) {
        stored.add(rows.get(i));
        recent.keep(rows.get(i), as);
      }
    }
    signals.appended(stored);
    return verdicts.stream()
        .<Outcome<Verdict>>map(verdict ->
            verdict instanceof Verdict.Busy ? new Outcome.Busy<>() : new Outcome.Done<>(verdict))
        .toList();
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}
