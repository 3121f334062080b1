package dev.muster.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One long poll on each feed, and paced appends to all of them in turn; measures the time from an
 * append to the answer of the poll that waited for it.
 */
final class WaitingPolls implements AutoCloseable {

  /**
   * Milliseconds, sorted: from when an append was sent, which is before its commit, and from when
   * it was answered, which is after.
   */
  record Latencies(List<Double> fromSent, List<Double> fromAnswered) {}

  private static final Pattern ROW =
      Pattern.compile("\\{\"id\":\"([^\"]+)\"[^{}]*?\"summary\":\"(\\d+)\"");
  private static final Pattern SUCCESS = Pattern.compile("HTTP/1.1 200 ");

  private final List<String[]> fleet;
  private final int appends;
  private final AtomicLongArray sentAt;
  private final AtomicLongArray answeredAt;
  private final AtomicLongArray polledAt;
  private final AtomicInteger polled = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile String[] cursors = {};
  private final ManySockets polls;
  private final ManySockets appending;

  WaitingPolls(int pollPort, int appendPort, List<String[]> fleet, int appends) throws IOException {
    this.fleet = fleet;
    this.appends = appends;
    this.sentAt = new AtomicLongArray(appends);
    this.answeredAt = new AtomicLongArray(appends);
    this.polledAt = new AtomicLongArray(appends);
    this.polls = new ManySockets(pollPort, fleet.size(), this::takePolled);
    this.appending = new ManySockets(appendPort, fleet.size(), this::takeAppended);
  }

  /** {@code cursors} has the last row of each feed, or "", and is advanced. */
  Latencies run(String[] cursors, int perSecond) {
    this.cursors = cursors;
    for (int i = 0; i < fleet.size(); i++) {
      polls.send(i, poll(fleet.get(i), cursors[i]));
      // not all at once, since a new server would refuse them
      LockSupport.parkNanos(Duration.ofMillis(4).toNanos());
    }
    LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
    long start = System.nanoTime();
    for (int i = 0; i < appends; i++) {
      long due = start + i * (Duration.ofSeconds(1).toNanos() / perSecond);
      while (System.nanoTime() < due) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      int feed = i % fleet.size();
      String append = append(fleet.get(feed), i);
      sentAt.set(i, System.nanoTime());
      appending.send(feed, append);
    }
    long giveUpAt = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (polled.get() < appends || answered.get() < appends) {
      if (System.nanoTime() > giveUpAt) {
        throw new IllegalStateException(
            "of %d appends %d were answered and %d polled"
                .formatted(appends, answered.get(), polled.get()));
      }
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
    List<Double> fromSent = new ArrayList<>();
    List<Double> fromAnswered = new ArrayList<>();
    for (int i = 0; i < appends; i++) {
      fromSent.add((polledAt.get(i) - sentAt.get(i)) / 1e6);
      fromAnswered.add((polledAt.get(i) - answeredAt.get(i)) / 1e6);
    }
    return new Latencies(
        fromSent.stream().sorted().toList(), fromAnswered.stream().sorted().toList());
  }

  static String poll(String[] agent, String cursor) {
    return "GET /workspaces/"
        + agent[0]
        + "/activity?order=asc&wait=60"
        + (cursor.isEmpty() ? "" : "&since_id=" + cursor)
        + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        + agent[1]
        + "\r\n\r\n";
  }

  private static String append(String[] agent, int number) {
    String body = "{\"activity_type\":\"agent_log\",\"summary\":\"" + number + "\"}";
    return "POST /workspaces/"
        + agent[0]
        + "/activity HTTP/1.1\r\n"
        + "Host: localhost\r\n"
        + "Content-Type: application/json\r\n"
        + "Authorization: Bearer "
        + agent[1]
        + "\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private void takeAppended(ManySockets sockets, int feed, String answer, long at) {
    requireSuccess(answer);
    // the appends of a feed are answered one after the other
    for (int i = feed; i < appends; i += fleet.size()) {
      if (answeredAt.get(i) == 0) {
        answeredAt.set(i, at);
        answered.incrementAndGet();
        return;
      }
    }
  }

  /** Polls again after a refusal: a new server may be too busy for a thousand polls at once. */
  private void takePolled(ManySockets sockets, int feed, String answer, long at) {
    if (!answer.startsWith("HTTP/1.1 503")) {
      requireSuccess(answer);
    }
    Matcher rows = ROW.matcher(answer);
    while (rows.find()) {
      cursors[feed] = rows.group(1);
      polledAt.set(Integer.parseInt(rows.group(2)), at);
      polled.incrementAndGet();
    }
    sockets.send(feed, poll(fleet.get(feed), cursors[feed]));
  }

  private static void requireSuccess(String answer) {
    if (!SUCCESS.matcher(answer).lookingAt()) {
      throw new IllegalStateException(answer);
    }
  }

  @Override
  public void close() throws IOException {
    polls.close();
    appending.close();
  }
}
