package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import dev.muster.message.store.MessageStore;
import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Sixteen writers on one feed, on two servers of one database: half of them use group commit, half
 * hold transactions of their own open for a while. Readers poll both servers by cursor meanwhile.
 *
 * <p>At the end each reader has seen every row once and in order (R6.4), and every acknowledged row
 * is stored.
 */
public final class FeedOrder implements AutoCloseable {

  /** Writing ends with this many rows, or after this time. */
  public record Size(long rows, Duration atMost, int mostInATransaction) {}

  private static final int WRITERS = 16;
  private static final int[] LIMITS = {50, 200, 500};
  private static final Duration MAX_HOLD = Duration.ofMillis(4);

  /** A reader that has read all pauses before it polls again, for at most this time. */
  private static final Duration MAX_BETWEEN_POLLS = Duration.ofMillis(100);

  /** After a hold, a writer pauses for at most this many times the hold's length. */
  private static final int MAX_PAUSE_FOR_HOLD = 30;

  private final Size size;
  private final TestDatabase database;
  private final List<TestServer> servers;
  private final Agent agent;
  private volatile long stopAt;
  private final BitSet acknowledged = new BitSet();
  private long stored;
  private long storedByHolders;
  private long refused;
  private volatile boolean written;

  public FeedOrder(Size size, TestDatabase database) {
    this.size = size;
    this.database = database;
    String[] settings = {
      "spring.datasource.hikari.maximum-pool-size=12",
      // the readers may be further behind than the quota of a feed
      "FEED_MAX_ROWS=2147483647",
      "FEED_MAX_BYTES=1024GiB"
    };
    this.servers =
        List.of(TestServer.startOn(database, settings), TestServer.startOn(database, settings));
    this.agent = servers.getFirst().client().create("busy");
  }

  /** Returns a summary in one sentence; fails when a row was lost, repeated or out of order. */
  public String run() throws Exception {
    stopAt = System.nanoTime() + size.atMost().toNanos();
    List<OrderedReader> readers = new ArrayList<>();
    List<Future<?>> reading = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      try {
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
          TestServer server = servers.get(i % 2);
          boolean holds = i / 2 % 2 == 0;
          writing.add(threads.submit(() -> write(server, holds)));
        }
        for (int i = 0; i < 2 * LIMITS.length; i++) {
          // queries for the inbox and for the whole feed, with and without a wait
          String query = i % 2 == 0 ? "type=a2a_receive" : "order=asc";
          String wait = i / 2 % 2 == 0 ? "&wait=1" : "";
          OrderedReader reader =
              new OrderedReader(agent, query + wait + "&limit=" + LIMITS[i % LIMITS.length]);
          readers.add(reader);
          TestServer server = servers.get(i / 2 % 2);
          reading.add(threads.submit(() -> readToTheEnd(reader, server)));
        }
        awaitAll(writing);
      } finally {
        written = true;
      }
      awaitAll(reading);
    }
    return verdict(readers);
  }

  private static void awaitAll(List<Future<?>> running) throws Exception {
    for (Future<?> one : running) {
      one.get();
    }
  }

  /** A reader that finds nothing after the last commit has read all rows. */
  private void readToTheEnd(OrderedReader reader, TestServer server) {
    boolean wasWritten;
    boolean found;
    do {
      wasWritten = written;
      found = reader.readOn(server.client());
      if (!found) {
        pause(MAX_BETWEEN_POLLS.toNanos());
      }
    } while (found || !wasWritten);
  }

  private void write(TestServer server, boolean holds) {
    MessageStore store = server.bean(MessageStore.class);
    TransactionTemplate transactions = server.bean(TransactionTemplate.class);
    while (!isEnough()) {
      try {
        if (holds) {
          long start = System.nanoTime();
          List<AppendResult> rows = transactions.execute(status -> appendAndHold(store));
          acknowledge(rows);
          countHeld(rows.size());
          pause(MAX_PAUSE_FOR_HOLD * (System.nanoTime() - start));
        } else {
          acknowledge(List.of(store.append(row())));
        }
      } catch (RuntimeException e) {
        if (!DatabaseOutage.is(e) && !(e instanceof ProblemException)) {
          throw e;
        }
        countRefused();
      }
    }
  }

  private List<AppendResult> appendAndHold(MessageStore store) {
    int rows = 1 + ThreadLocalRandom.current().nextInt(size.mostInATransaction());
    List<AppendResult> appended = store.appendAll(Collections.nCopies(rows, row()));
    pause(MAX_HOLD.toNanos());
    return appended;
  }

  private static void pause(long longestNanos) {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longestNanos));
  }

  private NewActivity row() {
    return NewActivity.inbound(
        agent.id(),
        null,
        "message/send",
        "hello",
        new RawJson("{\"method\":\"message/send\"}"),
        MessageContent.EMPTY,
        null);
  }

  private synchronized boolean isEnough() {
    return stored >= size.rows() || System.nanoTime() > stopAt;
  }

  private synchronized void acknowledge(List<AppendResult> rows) {
    for (AppendResult one : rows) {
      if (!(one instanceof AppendResult.Stored(var _, long seq, int _, var _))
          || acknowledged.get((int) seq)) {
        throw new AssertionError("not stored under a number of its own: " + one);
      }
      acknowledged.set((int) seq);
      stored++;
    }
  }

  private synchronized void countHeld(int rows) {
    storedByHolders += rows;
  }

  private synchronized void countRefused() {
    refused++;
  }

  /** Returns how many rows were acknowledged to the writers. */
  public synchronized long stored() {
    return stored;
  }

  private synchronized String verdict(List<OrderedReader> readers) {
    String feed = " FROM activity_logs WHERE workspace_id = '" + agent.id() + "'";
    long rows = Long.parseLong(database.value("SELECT count(*)" + feed));
    assertThat(database.value("SELECT max(seq)" + feed)).isEqualTo(Long.toString(rows));
    assertThat(rows).isGreaterThanOrEqualTo(stored);
    // numbers are 1 to the number of rows, so each acknowledged number is that of a row
    assertThat((long) acknowledged.length() - 1).isLessThanOrEqualTo(rows);
    long pages = 0;
    for (OrderedReader reader : readers) {
      assertThat(reader.faults(rows)).isEmpty();
      pages += reader.pages();
    }
    return """
    %,d rows by %d writers, %,d of them in transactions that were held open (%d calls refused); %d readers, %,d pages: \
    none lost, none repeated, none misordered\
    """
        .formatted(rows, WRITERS, storedByHolders, refused, readers.size(), pages);
  }

  @Override
  public void close() {
    servers.forEach(TestServer::close);
  }
}
