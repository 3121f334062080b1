package dev.muster.message.queue;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.QueueRepository;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What a claim takes of random queues, compared with the rules in Java (R7.7): a thousand queues in
 * {@code mvn verify}, ten thousand in the nightly run; of fewer than may go, those of the first
 * targets. All is in one transaction for fifty queues, which is rolled back, so that nothing else
 * sees it.
 */
@Slow
@Tag("sql")
@Timeout(300)
class ClaimOrderTest {

  private static final int ROUNDS = Rounds.of(20, 200);
  private static final int TARGETS = 50;
  private static final UUID OTHER_REPLICA = UUID.randomUUID();

  private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  private record Target(
      UUID id,
      String mode,
      String url,
      String status,
      boolean removed,
      int slots,
      int activeTasks,
      int limit) {

    boolean canTakeMessages() {
      return !removed
          && (mode.equals("poll")
              || (url.startsWith("http") && List.of("online", "degraded").contains(status)));
    }

    int freeSlots() {
      int own = mode.equals("poll") ? Integer.MAX_VALUE : Math.max(0, slots - activeTasks);
      return Math.min(own, limit);
    }
  }

  private record Entry(
      UUID target,
      long seq,
      @Nullable UUID sender,
      String kind,
      int priority,
      int enqueuedS,
      boolean isDue,
      boolean isExpired,
      boolean isHeld) {

    static final Comparator<Entry> QUEUE_ORDER =
        Comparator.comparingInt((Entry entry) -> -entry.priority)
            .thenComparingInt(Entry::enqueuedS)
            .thenComparingLong(Entry::seq);

    boolean isResult() {
      return kind.equals("result");
    }
  }

  @Test
  void takesTheFirstOfEachSenderUpToTheFreeSlots() {
    try (TestServer server = TestServer.start()) {
      server.bean(QueueWorker.class).stop();
      for (int round = 0; round < ROUNDS; round++) {
        List<Target> targets = Stream.generate(this::target).limit(TARGETS).toList();
        Map<UUID, List<Entry>> queues = new HashMap<>();
        targets.forEach(target -> queues.put(target.id(), queueOf(target)));

        int most = oneOf(5, 50, Integer.MAX_VALUE);
        List<String> claimed = claim(server, targets, queues, most);

        List<List<String>> expected =
            targets.stream()
                .map(one -> expected(one, requireNonNull(queues.get(one.id()))).toList())
                .toList();
        assertThat(isOfTheFirst(claimed, expected, most))
            .as("round %d of seed %d: %s of %s", round, seed, claimed, expected)
            .isTrue();
      }
    }
  }

  /**
   * Whether they are {@code most} of the entries, all of each target before the first that lacks
   * some.
   */
  private static boolean isOfTheFirst(List<String> claimed, List<List<String>> expected, int most) {
    List<String> left = new ArrayList<>(claimed);
    for (List<String> ofTarget : expected) {
      if (!left.containsAll(ofTarget)) {
        return claimed.size() == most && ofTarget.containsAll(left);
      }
      left.removeAll(ofTarget);
    }
    return left.isEmpty();
  }

  private static Stream<String> expected(Target target, List<Entry> queue) {
    if (!target.canTakeMessages()) {
      return Stream.empty();
    }
    Map<String, List<Entry>> bySender =
        queue.stream()
            .filter(entry -> entry.kind().equals("message"))
            .collect(Collectors.groupingBy(entry -> String.valueOf(entry.sender())));
    Stream<Entry> firsts =
        bySender.values().stream()
            .filter(entries -> entries.stream().noneMatch(Entry::isHeld))
            .map(entries -> entries.stream().min(Entry.QUEUE_ORDER).orElseThrow());
    Stream<Entry> withoutOrder =
        queue.stream().filter(entry -> !entry.kind().equals("message") && !entry.isHeld());
    List<Entry> mayGo =
        Stream.concat(firsts, withoutOrder)
            .filter(entry -> entry.isDue() && !entry.isExpired())
            .sorted(Entry.QUEUE_ORDER)
            .toList();
    return Stream.of(true, false)
        .flatMap(results -> {
          int most =
              results
                  ? Math.min(target.limit(), QueueRepository.MAX_CONCURRENT_RESULTS)
                  : target.freeSlots();
          long held =
              queue.stream().filter(one -> one.isHeld() && one.isResult() == results).count();
          return mayGo.stream()
              .filter(entry -> entry.isResult() == results)
              .limit(Math.max(0, most - held));
        })
        .map(entry -> entry.target() + " " + entry.seq());
  }

  private Target target() {
    return new Target(
        UUID.randomUUID(),
        oneOf("push", "push", "push", "poll"),
        oneOf("http://127.0.0.1:9/", "http://127.0.0.1:9/", "http://127.0.0.1:9/", "", "remote:a"),
        oneOf("online", "online", "online", "degraded", "offline", "paused"),
        random.nextInt(20) == 0,
        oneOf(1, 2, 4, 10, 40),
        oneOf(0, 0, 0, 1, 3, 50),
        oneOf(1, 32, 32));
  }

  private List<Entry> queueOf(Target target) {
    int size = oneOf(0, 1, 3, 10, 30, 150);
    List<@Nullable UUID> senders = new ArrayList<>();
    senders.add(null);
    IntStream.range(0, oneOf(0, 1, 3, 12, 100)).forEach(_ -> senders.add(UUID.randomUUID()));
    String[] kinds =
        random.nextBoolean()
            ? new String[] {"message"}
            : new String[] {"message", "message", "delegation", "result"};
    int notDue = oneOf(1, 4, 1000);
    int held = oneOf(3, 12, 1000);
    List<Entry> queue = new ArrayList<>();
    for (int seq = 1; seq <= size; seq++) {
      queue.add(
          new Entry(
              target.id(),
              seq,
              senders.get(random.nextInt(senders.size())),
              oneOf(kinds),
              oneOf(10, 50, 50, 50, 100),
              random.nextInt(30),
              random.nextInt(notDue) > 0,
              random.nextInt(30) == 0,
              random.nextInt(held) == 0));
    }
    return queue;
  }

  @SafeVarargs
  private <T> T oneOf(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private List<String> claim(
      TestServer server, List<Target> targets, Map<UUID, List<Entry>> queues, int most) {
    JdbcClient db = server.bean(JdbcClient.class);
    return server
        .bean(TransactionTemplate.class)
        .execute(transaction -> {
          transaction.setRollbackOnly();
          targets.forEach(target -> insert(db, target));
          List<Entry> entries = queues.values().stream().flatMap(List::stream).toList();
          if (!entries.isEmpty()) {
            insert(db, entries);
          }
          return server
              .bean(QueueRepository.class)
              .claim(
                  targets.stream().map(Target::id).toList(),
                  targets.stream().collect(Collectors.toMap(Target::id, Target::limit))::get,
                  new DeliveryClaim(UUID.randomUUID(), 1),
                  most)
              .stream()
              .map(one -> one.queued().targetId() + " " + one.queued().key().seq())
              .toList();
        });
  }

  private static void insert(JdbcClient db, Target target) {
    db.sql(
            """
            INSERT INTO workspaces (
                id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at, updated_at, removed_at)
            VALUES (:id, 'Target', 1, '', :url, :mode, :slots, 0, 0, now(), now(), CASE WHEN :removed THEN now() END)
            """)
        .param("id", target.id())
        .param("url", target.url())
        .param("mode", target.mode())
        .param("slots", target.slots())
        .param("removed", target.removed())
        .update();
    db.sql(
            """
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since, active_tasks)
            VALUES (:id, :status, now(), :active_tasks)
            """)
        .param("id", target.id())
        .param("status", target.status())
        .param("active_tasks", target.activeTasks())
        .update();
  }

  private void insert(JdbcClient db, List<Entry> entries) {
    String values =
        entries.stream()
            .map(entry ->
                "(UUID '%s', %d, %s::uuid, '%s', %d, TIMESTAMPTZ '%s', TIMESTAMPTZ '%s', TIMESTAMPTZ '%s', %s::uuid)"
                    .formatted(
                        entry.target(),
                        entry.seq(),
                        entry.sender() == null ? "NULL" : "'" + entry.sender() + "'",
                        entry.kind(),
                        entry.priority(),
                        now.minusSeconds(7200 - entry.enqueuedS()),
                        entry.isDue() ? now.minusSeconds(3600) : now.plusSeconds(3600),
                        entry.isExpired() ? now.minusSeconds(60) : now.plusSeconds(7200),
                        entry.isHeld() ? "'" + OTHER_REPLICA + "'" : "NULL"))
            .collect(Collectors.joining(", "));
    int _ =
        db.sql(
                """
                WITH entry (workspace_id, seq, sender_id, kind, priority, enqueued_at, due_at, expires_at, owner) AS (VALUES %s),
                rows AS (
                    INSERT INTO activity_logs (
                        workspace_id, seq, class, activity_type, source, status, listed_bytes, created_at, feed_bytes)
                    SELECT workspace_id, seq, 'p', 'a2a_receive', 'peer_agent', 'ok', 0, enqueued_at, 0 FROM entry)
                INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at,
                    expires_at, owner, claim, claimed_at)
                SELECT workspace_id, seq, sender_id, kind, true, 0, priority, enqueued_at, due_at, expires_at, owner,
                    CASE WHEN owner IS NOT NULL THEN 1 END, CASE WHEN owner IS NOT NULL THEN now() END
                FROM entry
                """
                    .formatted(values))
            .update();
  }
}
