package dev.muster.message.store;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import dev.muster.message.NewActivity.ActivityResult;
import dev.muster.message.store.DeliveryOutcome.Completion;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.Quota;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.BatchLimits;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.platform.postgres.BatchRetry;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.CommitAwareTransactions.UnknownCommitOutcomeException;
import dev.muster.platform.postgres.GroupCommit;
import dev.muster.platform.postgres.HotStatements;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.work.BackgroundLoops;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Ends deliveries and stores their outcomes. One statement deletes the open delivery, if its claim
 * still holds it or it still waits, and stores its outcome. An outcome with an answer is never
 * overwritten.
 */
@Component
public class Completions {

  private static final long MAX_BATCH_BYTES = 4L << 20;
  private static final long MAX_SHARED_BYTES = 256L << 10;

  /** A response of up to 64 MiB, whose sender has already waited for the agent. */
  private static final Duration MAX_LARGE_DURATION = Duration.ofSeconds(30);

  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);
  private static final Duration LARGE_TIMEOUT = Duration.ofSeconds(60);
  private static final int MAX_LARGE_AT_ONCE = 1;

  private static final BatchColumns<Completion> COLUMNS =
      BatchColumns.<Completion>none()
          .uuid("workspace_id", one -> one.key().workspaceId())
          .bigint("seq", one -> one.key().seq())
          .uuid("owner", one -> partOf(one.claim(), DeliveryClaim::owner))
          .bigint("claim", one -> partOf(one.claim(), DeliveryClaim::number))
          .text("state", one -> one.outcome().state().wire())
          .text("queue_state", one -> partOf(one.queueState(), QueueState::wire))
          .integer("deliveries", one -> one.outcome().deliveries())
          .integer("answer_status", one -> one.outcome().reply().status())
          .text("answer_type", one -> one.outcome().reply().contentType())
          .text("answer", one -> one.outcome().keptReply())
          .text("response", one -> partOf(one.outcome().response(), RawJson::text))
          .integer("response_bytes", one -> RowSize.bytes(one.outcome().response()))
          .integer(
              "listed_bytes",
              one -> RowSize.ofOutcome(one.outcome().response(), one.outcome().error()))
          .text("status", one -> partOf(one.outcome().result(), ActivityResult::status))
          .text("error_detail", one -> one.outcome().error())
          .bigint("duration_ms", one -> partOf(one.outcome().result(), ActivityResult::durationMs))
          .flag("answered", one -> one.outcome().answered());

  static final String COMPLETE =
      StablePlans.of(
          """
          WITH ended AS (
              SELECT e.*, held.place FROM {ROWS} WITH ORDINALITY AS e ({NAMES}, n)
              CROSS JOIN LATERAL (
                  SELECT ctid AS place FROM deliveries
                  WHERE workspace_id = e.workspace_id AND seq = e.seq
                      AND (owner, claim) IS NOT DISTINCT FROM (e.owner, e.claim)
                  OFFSET 0) AS held),
          gone AS (
              DELETE FROM deliveries d USING ended e
              WHERE d.ctid = e.place AND (d.owner, d.claim) IS NOT DISTINCT FROM (e.owner, e.claim)
              RETURNING e.*, d.deliveries AS before, d.kind, d.sender_id, d.priority, d.attempts, d.enqueued_at,
                  d.expires_at),
          calls AS (SELECT workspace_id, seq, answered, error_detail AS error FROM gone),
          {NOTED},
          stored AS (
              INSERT INTO delivery_outcomes AS o (
                  workspace_id, seq, state, owner, claim, deliveries, answer_status, answer_type, answer, response,
                  response_bytes, listed_bytes, status, error_detail, duration_ms, ended_at,
                  queue_state, kind, sender_id, priority, attempts, enqueued_at, expires_at)
              SELECT
                  workspace_id, seq, state, owner, claim, before + deliveries, answer_status, answer_type, answer, response,
                  response_bytes, listed_bytes, status, error_detail, duration_ms,
                  statement_timestamp() + n * interval '1 us',
                  queue_state, kind, sender_id, priority, attempts, enqueued_at, expires_at
              FROM gone
              ON CONFLICT (workspace_id, seq) DO UPDATE SET
                  state = excluded.state,
                  owner = excluded.owner,
                  claim = excluded.claim,
                  deliveries = excluded.deliveries,
                  answer_status = excluded.answer_status,
                  answer_type = excluded.answer_type,
                  answer = excluded.answer,
                  response = excluded.response,
                  response_bytes = excluded.response_bytes,
                  listed_bytes = excluded.listed_bytes,
                  status = excluded.status,
                  error_detail = excluded.error_detail,
                  duration_ms = excluded.duration_ms,
                  ended_at = excluded.ended_at,
                  queue_state = excluded.queue_state,
                  priority = excluded.priority,
                  attempts = excluded.attempts,
                  enqueued_at = excluded.enqueued_at,
                  expires_at = excluded.expires_at
              WHERE o.state <> 'answered')
          SELECT n FROM gone
          """
              .replace("{ROWS}", COLUMNS.unnest())
              .replace("{NAMES}", COLUMNS.names())
              .replace("{NOTED}", UnansweredCalls.NOTED));

  private final HotStatements hot;
  private final JdbcTemplate db;
  private final FeedNotifier notifier;
  private final QueueMetrics metrics;
  private final CommitAwareTransactions longTransactions;
  private final StatementTimeouts statements;
  private final Quota largeOnes = new Quota(MAX_LARGE_AT_ONCE);
  private final GroupCommit<Completion, Boolean> commits;

  Completions(
      HotStatements hot,
      JdbcTemplate db,
      FeedNotifier notifier,
      QueueMetrics metrics,
      CommitAwareTransactions transactions,
      StatementTimeouts statements,
      MeterRegistry registry,
      BackgroundLoops loops) {
    this.hot = hot;
    this.db = db;
    this.notifier = notifier;
    this.metrics = metrics;
    this.longTransactions = transactions.withTimeout(MAX_LARGE_DURATION);
    this.statements = statements;
    this.commits =
        new GroupCommit<>(
            "complete",
            Completion::key,
            BatchLimits.byWeight(Completions::weight, MAX_BATCH_BYTES),
            this::commit,
            loops,
            registry);
  }

  /**
   * Ends one delivery; returns false when its claim no longer holds it. Returns after the commit.
   * Throws {@code UNAVAILABLE} when the commit fails or its outcome stays unknown in time; the
   * caller may retry.
   */
  public boolean complete(Completion completion) {
    return weight(completion) > MAX_SHARED_BYTES
        ? completeLarge(completion)
        : commits.submit(completion);
  }

  /** Ends deliveries in the caller's transaction; returns those that their claims still held. */
  @Transactional(propagation = Propagation.MANDATORY)
  public Set<Completion> completeAll(List<Completion> completions) {
    if (completions.isEmpty()) {
      return Set.of();
    }
    Set<Completion> ended = run(db, completions);
    AfterCommit.run(() -> publish(ended));
    return ended;
  }

  /**
   * Runs {@code store} every second until the database accepts it, so that an outage loses no
   * response. Rethrows a failure that a retry would not help, and the last one when interrupted.
   */
  public static void untilStored(Runnable store) {
    while (true) {
      try {
        store.run();
        return;
      } catch (RuntimeException e) {
        if (!mayWorkLater(e) || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
    }
  }

  public static boolean mayWorkLater(Throwable e) {
    return e instanceof ProblemException
        || DatabaseOutage.is(e)
        || e instanceof UnknownCommitOutcomeException;
  }

  private boolean completeLarge(Completion completion) {
    var target = new Owner.OfWorkspace(completion.key().workspaceId());
    return largeOnes.run(
        target,
        LARGE_TIMEOUT,
        "too many large answers wait to be stored",
        () ->
            longTransactions.runRetryingDeadlocks(_ -> {
              statements.allow(MAX_LARGE_DURATION);
              return !completeAll(List.of(completion)).isEmpty();
            }));
  }

  private List<BatchOutcome<Boolean>> commit(List<Completion> batch) {
    return BatchRetry.run(
        batch,
        completions -> {
          Set<Completion> ended = hot.run(statement -> run(statement, completions));
          publish(ended);
          return completions.stream()
              .<BatchOutcome<Boolean>>map(one -> new BatchOutcome.Done<>(ended.contains(one)))
              .toList();
        });
  }

  private void publish(Set<Completion> ended) {
    Set<UUID> changed =
        ended.stream().map(one -> one.key().workspaceId()).collect(Collectors.toSet());
    if (!changed.isEmpty()) {
      notifier.feedsChanged(changed);
    }
    ended.forEach(metrics::count);
  }

  /** A batch may hold a delivery twice: by its holder, and by one that has lost it. */
  private static Set<Completion> run(JdbcTemplate statements, List<Completion> completions) {
    Set<Completion> ended = Collections.newSetFromMap(new IdentityHashMap<>());
    ended.addAll(
        statements.query(
            COMPLETE,
            (PreparedStatement statement) -> {
              int _ = COLUMNS.bind(statement, 1, completions);
            },
            (row, _) -> completions.get(row.getInt("n") - 1)));
    return ended;
  }

  private static long weight(Completion completion) {
    DeliveryOutcome outcome = completion.outcome();
    int response = outcome.response() == null ? 0 : outcome.response().text().length();
    return 200L + response + outcome.reply().body().length;
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}
