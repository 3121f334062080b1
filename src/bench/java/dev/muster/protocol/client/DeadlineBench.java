package dev.muster.protocol.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Whether failing sends end by their deadline and 50 ms (R7.10): ten thousand over all faults, many
 * at a time, with the faulty peers in the same process. Beside them as many bare timed waits of the
 * same length show the delay of the machine itself. Printed as Markdown.
 *
 * <p>Arguments, all optional: sends (10,000), how many at once (100), milliseconds of each (2,000),
 * sends before the count begins (1,000).
 */
public final class DeadlineBench {

  private static final Duration PROMISED = Duration.ofMillis(50);

  private final int atOnce;
  private final Duration time;
  private final List<Spot> spots = new ArrayList<>();

  private DeadlineBench(int atOnce, Duration time) {
    this.atOnce = atOnce;
    this.time = time;
  }

  public static void main(String[] args) throws Exception {
    int sends = argument(args, 0, 10_000);
    new DeadlineBench(argument(args, 1, 100), Duration.ofMillis(argument(args, 2, 2_000)))
        .run(sends, argument(args, 3, 1_000));
  }

  private static int argument(String[] args, int index, int otherwise) {
    return args.length > index ? Integer.parseInt(args[index]) : otherwise;
  }

  private record Spot(Fault fault, Fault.Place place) {}

  private record Late(String fault, long nanos, boolean isOutOfTime) {}

  private void run(int sends, int before) throws Exception {
    try (A2aClient client = A2aClient.builder().build()) {
      for (Fault fault : Fault.values()) {
        spots.add(new Spot(fault, fault.occur()));
      }
      all(before, i -> send(client, i));
      System.out.println(
          "| | ended | by deadline + 50 ms | later | p99 late, ms | max late, ms |\n"
              + "|---|---|---|---|---|---|");
      List<Late> late = all(2 * sends, i -> i % 2 == 0 ? send(client, i / 2) : bareWait());
      print(late.stream().filter(one -> one.isOutOfTime()).toList(), sends);
      print(late.stream().filter(one -> !one.isOutOfTime()).toList(), sends);
      worst(late);
    } finally {
      for (Spot spot : spots) {
        spot.place().close();
      }
    }
    System.exit(0);
  }

  private List<Late> all(int count, IntFunction<Late> action)
      throws InterruptedException, ExecutionException {
    Semaphore places = new Semaphore(atOnce);
    List<Future<Late>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        int n = i;
        places.acquire();
        running.add(
            threads.submit(() -> {
              try {
                return action.apply(n);
              } finally {
                places.release();
              }
            }));
      }
    }
    List<Late> late = new ArrayList<>();
    for (Future<Late> one : running) {
      late.add(one.get());
    }
    return late;
  }

  private Late send(A2aClient client, int n) {
    Spot spot = spots.get(n % spots.size());
    A2aRequest request = Requests.within(time, spot.place().url());
    long began = System.nanoTime();
    A2aResult result = client.send(request);
    if (!(result instanceof A2aResult.OutOfTime)) {
      throw new IllegalStateException("ended otherwise: " + result);
    }
    return new Late(spot.fault().name(), System.nanoTime() - began - time.toNanos(), true);
  }

  private Late bareWait() {
    long began = System.nanoTime();
    try {
      var _ = new LinkedBlockingQueue<>().poll(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new Late("a bare wait", System.nanoTime() - began - time.toNanos(), false);
  }

  private static void print(List<Late> late, int expected) throws IOException {
    if (late.size() != expected) {
      throw new IOException(late.size() + " of " + expected + " have ended");
    }
    List<Long> sorted = late.stream().map(Late::nanos).sorted().toList();
    long inTime = sorted.stream().filter(nanos -> nanos <= PROMISED.toNanos()).count();
    System.out.printf(
        Locale.ROOT,
        "| %s | %,d | **%.2f %%** | %d | %.1f | %.1f |%n",
        late.getFirst().isOutOfTime() ? "sends over all faults" : "bare timed waits beside them",
        late.size(),
        100.0 * inTime / late.size(),
        late.size() - inTime,
        sorted.get(late.size() * 99 / 100) / 1e6,
        sorted.getLast() / 1e6);
  }

  private static void worst(List<Late> late) {
    Map<String, Long> worst = new TreeMap<>();
    late.forEach(one -> worst.merge(one.fault(), one.nanos(), Math::max));
    worst.forEach((fault, nanos) ->
        System.out.printf(Locale.ROOT, "%s: at most %.1f ms late%n", fault, nanos / 1e6));
  }
}
