package dev.muster.activity;

import dev.muster.platform.commit.BatchAttempts;
import dev.muster.platform.commit.BatchLimits;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.commit.GroupCommit;
import dev.muster.platform.commit.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Writes into feeds; the activity log's face to the other modules. */
@Service
public class Feeds {

  private static final long LARGEST_BATCH = 4L << 20;
  private static final long LARGEST_SHARED = 256L << 10;
  private static final Duration BUSY_PATIENCE = Duration.ofMillis(300);

  private final FeedWriter writer;
  private final CertainTransactions transactions;
  private final PatientWrites patient;
  private final GroupCommit<FeedChange, FeedResult> commits;

  Feeds(
      FeedWriter writer,
      CertainTransactions transactions,
      PatientWrites patient,
      MeterRegistry metrics) {
    this.writer = writer;
    this.patient = patient;
    this.transactions = transactions;
    this.commits =
        new GroupCommit<>(
            "activity",
            FeedChange::workspaceId,
            BatchLimits.byWeight(ListedSize::whole, LARGEST_BATCH),
            this::commit,
            metrics);
  }

  /**
   * Returns after the commit, which it shares with others unless it is large; throws {@code
   * UNAVAILABLE} when that cannot be had, or known, in time.
   */
  public Appended append(NewActivity row) {
    return (Appended) write(row);
  }

  /**
   * A row that an agent writes of itself, which is no message and so never a repeated one; refuses
   * with {@code FEED_FULL}.
   */
  Appended.Stored appendOwn(NewActivity row) {
    return switch (append(row)) {
      case Appended.Stored stored -> stored;
      case Appended.FeedFull full -> throw full.refusal();
      case Appended.Repeated _, Appended.OtherContent _ ->
          throw new IllegalStateException("a row without an identity was taken for a message");
    };
  }

  /**
   * Puts the end of a turn on its row; returns and throws as {@link #append}.
   *
   * <p>Watchers hear of an answer, and whoever waits for the turn is woken, on every replica.
   */
  public Ended end(TurnEnd end) {
    return (Ended) write(end);
  }

  /**
   * Appends in the caller's transaction, which has taken all its other locks but those of message
   * records; the feeds stay locked until it ends. Rows of one feed get their places in the order
   * given.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Appended> appendAll(List<NewActivity> rows) {
    return writer.write(rows).stream().map(Appended.class::cast).toList();
  }

  /**
   * As {@link #appendAll}, with the ends of turns before the rows, and one lock of each feed; what
   * became of the ends.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Ended> endAllAndAppend(List<TurnEnd> ends, List<NewActivity> rows) {
    List<FeedChange> changes = new ArrayList<>(ends);
    changes.addAll(rows);
    return writer.write(changes).stream().limit(ends.size()).map(Ended.class::cast).toList();
  }

  private FeedResult write(FeedChange change) {
    if (ListedSize.whole(change) > LARGEST_SHARED) {
      return patient.write(change);
    }
    return commits
        .submitUnlessBusyFor(BUSY_PATIENCE, change)
        .orElseGet(() -> patient.write(change));
  }

  private List<Outcome<FeedResult>> commit(List<FeedChange> batch) {
    return BatchAttempts.run(
        batch, changes -> transactions.run(() -> writer.writeUnlessBusy(changes)));
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}
