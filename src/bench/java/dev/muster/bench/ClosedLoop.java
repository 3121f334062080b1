package dev.muster.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Sends requests, each when the one before it on its connection is answered. */
final class ClosedLoop {

  private static final int WHOLE = 100;
  private static final Duration FOREVER = Duration.ofDays(1);

  /**
   * The answers.
   *
   * @param begin when the first was sent, by {@link System#nanoTime}
   * @param answeredAt when each was answered, in this order
   * @param ms milliseconds that each took, sorted
   * @param refused how many were not answered with 2xx
   */
  record Load(long begin, List<Long> answeredAt, List<Double> ms, int refused) {

    /** Answers a second. */
    double rate() {
      return rate(0, WHOLE);
    }

    /** Answers a second between these percentages of all. */
    double rate(int from, int to) {
      int first = answeredAt.size() * from / WHOLE;
      int last = answeredAt.size() * to / WHOLE;
      long start = first == 0 ? begin : answeredAt.get(first - 1);
      return (last - first) * 1e9 / (answeredAt.get(last - 1) - start);
    }

    double median() {
      return ms.get(ms.size() / 2);
    }

    double slowest() {
      return ms.getLast();
    }
  }

  private final int count;
  private final IntFunction<String> requests;
  private final AtomicInteger next = new AtomicInteger();
  private final long[] sentAt;
  private final CountDownLatch left;

  // of the one thread of the sockets
  private final List<Long> answeredAt = new ArrayList<>();
  private final List<Double> ms = new ArrayList<>();
  private int refused;

  private ClosedLoop(int connections, int count, IntFunction<String> requests) {
    this.count = count;
    this.requests = requests;
    this.sentAt = new long[connections];
    this.left = new CountDownLatch(count);
  }

  /** Sends the requests with the numbers 0 to {@code count - 1}, in this order. */
  static Load run(int port, int connections, int count, IntFunction<String> requests)
      throws IOException, InterruptedException {
    return new ClosedLoop(connections, count, requests).run(port, FOREVER);
  }

  /** Sends requests for this time, with numbers from 0 on; what is not answered then is none. */
  static Load run(int port, int connections, Duration time, IntFunction<String> requests)
      throws IOException, InterruptedException {
    return new ClosedLoop(connections, Integer.MAX_VALUE, requests).run(port, time);
  }

  private Load run(int port, Duration limit) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (ManySockets sockets = new ManySockets(port, sentAt.length, this::take)) {
      for (int i = 0; i < sentAt.length; i++) {
        send(sockets, i);
      }
      boolean _ = left.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
    return new Load(begin, answeredAt, ms.stream().sorted().toList(), refused);
  }

  private void send(ManySockets sockets, int connection) {
    int number = next.getAndIncrement();
    if (number < count) {
      String request = requests.apply(number);
      sentAt[connection] = System.nanoTime();
      sockets.send(connection, request);
    }
  }

  private void take(ManySockets sockets, int connection, String answer, long at) {
    answeredAt.add(at);
    ms.add((at - sentAt[connection]) / 1e6);
    if (!answer.startsWith("HTTP/1.1 2")) {
      if (refused++ == 0) {
        System.out.println("refused: " + answer);
      }
    }
    send(sockets, connection);
    left.countDown();
  }

  /** An empty token is none. */
  static String get(String path, String token) {
    return "GET " + path + head(token) + "\r\n";
  }

  static String delete(String path, String token) {
    return "DELETE " + path + head(token) + "\r\n";
  }

  static String post(String path, String token, String body) {
    return "POST "
        + path
        + head(token)
        + "Content-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private static String head(String token) {
    String authorization = token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
    return " HTTP/1.1\r\nHost: localhost\r\n" + authorization;
  }
}
