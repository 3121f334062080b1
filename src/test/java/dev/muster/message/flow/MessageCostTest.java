package dev.muster.message.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.send.ProxyClient;
import dev.muster.message.send.PushAgents;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cost of a message that its agent answers at once, counted by the database: one statement
 * begins its delivery and one completes it. Neither is in a transaction, so each is one commit and
 * one round trip; concurrent messages share them.
 */
@Slow
@SuppressWarnings("NullAway.Init") // each test starts a server on a database of its own
class MessageCostTest {

  private static final int WARM_UP = 20;
  private static final int ONE_BY_ONE = 200;

  /** Statements of background loops: about 15 a second on an idle server. */
  private static final int BACKGROUND_A_SECOND = 25;

  private static final int SENDERS = 64;
  private static final int OF_EACH_SENDER = 12;

  /**
   * Makes a statement that begins or ends a delivery take as long as one with a slow disk. With a
   * quick one the number of messages in a batch would depend on the load of the machine. The test's
   * database has {@code fsync} off, with which PostgreSQL ignores {@code commit_delay}.
   */
  private static final String SLOW_STATEMENTS =
      """
      CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
          PERFORM pg_sleep(0.1);
          RETURN NULL;
      END $$;
      CREATE TRIGGER slow AFTER INSERT ON deliveries EXECUTE FUNCTION pause();
      CREATE TRIGGER slow AFTER INSERT ON delivery_outcomes EXECUTE FUNCTION pause();
      """;

  /** Far from the measured value. */
  private static final double MAX_STATEMENTS_OF_MANY = 0.5;

  private static final Duration STATISTICS_TIMEOUT = Duration.ofSeconds(30);

  /**
   * Notifications between replicas, at most 20 a second, which are not counted as part of a
   * message.
   */
  private static final String CALLS_OF_REPLICAS = "SELECT pg_notify(%";

  private static final Duration CALL_INTERVAL = Duration.ofMillis(50);

  private static final String BEGINS = "%INSERT INTO activity_logs%INSERT INTO deliveries%";
  private static final String ENDS = "%DELETE FROM deliveries%INSERT INTO delivery_outcomes%";

  /** A column that PostgreSQL 15 does not have. */
  private static final String WITHOUT_SPACE =
      "coalesce((to_jsonb(t) ->> 'n_tup_newpage_upd')::bigint, 0)";

  private static final String AUDITS = "%INSERT INTO operator_actions%";

  /** Sent with a statement, before and after it, in one round trip. */
  private static final String SETTINGS = "SELECT set_config(%";

  private static final String COUNTED =
      """
      FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
      WHERE d.datname = current_database() AND query NOT LIKE '%%pg_stat_%%' AND query LIKE '%s'
      """;

  private final AtomicInteger messages = new AtomicInteger();
  private TestServer server;
  private TestPeer peer;
  private Agent target;
  private Agent sender;

  private void start(TestDatabase database) throws IOException {
    server =
        TestServer.startOn(database, "AGENT_URL_ALLOW=loopback", "LIVENESS_SWEEP_INTERVAL_S=86400");
    peer = TestPeer.start();
    target = new PushAgents(server).at(peer.url(), "\"max_concurrent_tasks\":1000");
    sender = server.client().create("Sender", "\"parent_id\":\"" + target.id() + "\"");
    for (int i = 0; i < WARM_UP; i++) {
      send();
    }
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
    server.close();
  }

  @Test
  void isTwoStatementsForASingleMessage() throws IOException {
    start(TestDatabases.create());
    startCounting();
    long start = System.nanoTime();

    for (int i = 0; i < ONE_BY_ONE; i++) {
      send();
    }

    assertThat(calls(BEGINS)).isEqualTo(ONE_BY_ONE);
    assertThat(calls(ENDS)).isEqualTo(ONE_BY_ONE);
    requireNoOthersThanOfTheBackground(ONE_BY_ONE, start);
    awaitCounted(WARM_UP + ONE_BY_ONE);
    requireNoMovedRows();
  }

  /** The audit rows of an operator's messages are in the batch. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isAFractionOfAStatementForConcurrentMessages(boolean ofAnOperator) throws Exception {
    TestDatabase database = TestDatabases.create();
    database.execute(SLOW_STATEMENTS);
    start(database);
    String token = ofAnOperator ? TestServer.ADMIN_TOKEN : sender.token();
    long audited = number("SELECT count(*) FROM operator_actions");
    startCounting();
    long start = System.nanoTime();

    sendAtOnce(token);

    int sent = SENDERS * OF_EACH_SENDER;
    double statements = (double) (calls(BEGINS) + calls(ENDS) + calls(AUDITS)) / sent;
    System.out.printf("%d senders: %.3f statements a message%n", SENDERS, statements);
    assertThat(number("SELECT count(*) FROM operator_actions") - audited)
        .isEqualTo(ofAnOperator ? sent : 0);
    assertThat(calls(BEGINS)).isPositive();
    assertThat(statements).as(statements()).isLessThanOrEqualTo(MAX_STATEMENTS_OF_MANY);
    requireNoOthersThanOfTheBackground(sent, start);
    awaitCounted(WARM_UP + sent);
    requireNoMovedRows();
  }

  /** The background's statements depend on the time, not on the number of messages. */
  private void requireNoOthersThanOfTheBackground(int sent, long start) {
    long others =
        calls("%")
            - Stream.of(BEGINS, ENDS, AUDITS, SETTINGS, CALLS_OF_REPLICAS)
                .mapToLong(this::calls)
                .sum();
    long took = System.nanoTime() - start;
    assertThat(calls(CALLS_OF_REPLICAS)).isLessThanOrEqualTo(2 + took / CALL_INTERVAL.toNanos());
    long background = BACKGROUND_A_SECOND * Duration.ofNanos(took).toSeconds();
    assertThat(others).as(statements()).isLessThan(Math.max(sent, background));
  }

  private void sendAtOnce(String token) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> sending = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        sending.add(
            threads.submit(() -> {
              for (int n = 0; n < OF_EACH_SENDER; n++) {
                send(token);
              }
            }));
      }
      for (Future<?> one : sending) {
        one.get();
      }
    }
  }

  private void send() {
    send(sender.token());
  }

  private void send(String token) {
    Answer answer =
        new ProxyClient(server)
            .send(target, token, ProxyClient.message("m-" + messages.incrementAndGet(), "hi"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private void startCounting() {
    assumeThat(server.database().value("SHOW shared_preload_libraries"))
        .contains("pg_stat_statements");
    server.database().execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    await()
        .untilAsserted(() -> {
          assertThat(number("SELECT count(*) FROM delivery_outcomes")).isEqualTo(WARM_UP);
          assertThat(number("SELECT count(*) FROM deliveries")).isZero();
        });
    server.database().execute("SELECT pg_stat_statements_reset()");
  }

  /** A connection reports its statistics when it is closed, or up to 10 s after its work. */
  private void awaitCounted(int sent) {
    server.close();
    await()
        .atMost(STATISTICS_TIMEOUT)
        .untilAsserted(() -> {
          assertThat(number(counter("n_tup_ins", "activity_logs"))).isEqualTo(sent);
          assertThat(number(counter("n_tup_ins", "delivery_outcomes"))).isEqualTo(sent);
          assertThat(number(counter("n_tup_del", "deliveries"))).isEqualTo(sent);
        });
  }

  /**
   * An update that is not heap-only writes an entry into each index of its table. Without an index
   * on a changed column, only those are not that find no space on their page, while a snapshot
   * keeps old rows there. PostgreSQL counts these since version 16.
   */
  private void requireNoMovedRows() {
    long updates = number(counter("n_tup_upd", "activity_feeds"));
    assertThat(updates).isPositive();
    long heapOnly = number(counter("n_tup_hot_upd", "activity_feeds"));
    assertThat(heapOnly).isPositive();
    assertThat(heapOnly + number(counter(WITHOUT_SPACE, "activity_feeds"))).isEqualTo(updates);
    for (String table : List.of("activity_logs", "deliveries", "delivery_outcomes")) {
      assertThat(number(counter("n_tup_upd", table))).as(table).isZero();
    }
  }

  private static String counter(String column, String table) {
    return "SELECT " + column + " FROM pg_stat_user_tables t WHERE relname = '" + table + "'";
  }

  private long number(String sql) {
    return Long.parseLong(server.database().value(sql));
  }

  private long calls(String like) {
    return number("SELECT coalesce(sum(calls), 0) " + COUNTED.formatted(like));
  }

  private String statements() {
    return server
        .database()
        .value(
            "SELECT string_agg(calls || ' ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 100),"
                + " E'\\n' ORDER BY calls DESC) "
                + COUNTED.formatted("%"));
  }
}
