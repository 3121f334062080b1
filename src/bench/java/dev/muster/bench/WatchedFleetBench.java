package dev.muster.bench;

import java.io.IOException;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The effect of ten open consoles on heartbeats: paced heartbeats, one in ten of which changes a
 * status, rounds without and with consoles in turn, printed as a Markdown table. Each console has
 * loaded the fleet, follows its events, and asks for the summary and a hundred rows every ten
 * seconds, as the page does.
 *
 * <p>Arguments, all optional: seconds a round (20), rounds of each kind (5), heartbeats a second
 * (300).
 */
public final class WatchedFleetBench {

  private static final int FLEET = 20_000;
  private static final int CONSOLES = 10;
  private static final int ROWS = 100;
  private static final int CHANGES = 10;
  private static final Duration OPENING = Duration.ofMinutes(1);
  private static final Duration REFRESH_INTERVAL = Duration.ofSeconds(10);

  private final Set<String> changing = new HashSet<>();
  private final Set<String> degraded = ConcurrentHashMap.newKeySet();
  private final AtomicLong batches = new AtomicLong();
  private final int seconds;
  private final int rounds;
  private final int perSecond;

  private WatchedFleetBench(int seconds, int rounds, int perSecond) {
    this.seconds = seconds;
    this.rounds = rounds;
    this.perSecond = perSecond;
  }

  public static void main(String[] args) throws Exception {
    new WatchedFleetBench(
            args.length > 0 ? Integer.parseInt(args[0]) : 20,
            args.length > 1 ? Integer.parseInt(args[1]) : 5,
            args.length > 2 ? Integer.parseInt(args[2]) : 300)
        .run();
  }

  private void run() throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server =
            BenchProcess.start(
                database.url(), Map.of("LIVENESS_SWEEP_INTERVAL_S", "86400", "RATE_LIMIT", "0"))) {
      measure(server.baseUrl(), BenchFleet.seed(database.url(), FLEET));
    }
  }

  private void measure(String url, List<String[]> fleet) throws Exception {
    for (int i = 0; i < fleet.size(); i += CHANGES) {
      changing.add(fleet.get(i)[0]);
    }
    AdminClient admin = new AdminClient(url);
    PacedRequests heartbeats =
        new PacedRequests(id -> url + "/registry/heartbeat", this::heartbeat, fleet);
    heartbeats.run(perSecond, 2 * seconds);
    List<Double> alone = new ArrayList<>();
    List<Double> watched = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      double p99Alone = Figures.p99(heartbeats.run(perSecond, seconds));
      long before = batches.get();
      CountDownLatch open = new CountDownLatch(CONSOLES);
      CountDownLatch closing = new CountDownLatch(1);
      List<Thread> consoles = new ArrayList<>();
      for (int i = 0; i < CONSOLES; i++) {
        List<String[]> shown = fleet.subList(i * ROWS, (i + 1) * ROWS);
        Duration phase = REFRESH_INTERVAL.dividedBy(CONSOLES).multipliedBy(i);
        consoles.add(Thread.ofVirtual().start(() -> watch(admin, shown, phase, open, closing)));
      }
      if (!open.await(OPENING.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("not all consoles could be opened");
      }
      double p99Watched = Figures.p99(heartbeats.run(perSecond, seconds));
      closing.countDown();
      for (Thread console : consoles) {
        console.join();
      }
      if (batches.get() - before < CONSOLES) {
        throw new IllegalStateException("the consoles received no events");
      }
      System.out.printf("alone %.2f ms, watched %.2f ms%n", p99Alone, p99Watched);
      if (round > 0) { // the first warms up
        alone.add(p99Alone);
        watched.add(p99Watched);
        ratios.add(p99Watched / p99Alone);
      }
    }
    System.out.printf(
        """
        | %,d workspaces, %d heartbeats/s, %d consoles | |
        |---|---|
        | heartbeat p99 alone, ms | %s |
        | heartbeat p99 watched, ms | %s |
        | **ratio** | **%s** |
        """,
        FLEET,
        perSecond,
        CONSOLES,
        Figures.of(alone).text("%.2f"),
        Figures.of(watched).text("%.2f"),
        Figures.of(ratios).text("%.2f"));
  }

  /** One in ten workspaces is degraded by every other of its heartbeats. */
  private String heartbeat(String id) {
    boolean fails = changing.contains(id) && !degraded.remove(id) && degraded.add(id);
    return "{\"workspace_id\":\"%s\",\"error_rate\":%s,\"active_tasks\":1}"
        .formatted(id, fails ? "0.9" : "0.01");
  }

  /** A console that counts down {@code open} after its first requests, until {@code closing}. */
  private void watch(
      AdminClient admin,
      List<String[]> shown,
      Duration phase,
      CountDownLatch open,
      CountDownLatch closing) {
    String ids = String.join(",", shown.stream().map(one -> one[0]).toList());
    try {
      String seq = admin.get("/console/fleet").headers().firstValue("ETag").orElseThrow();
      WebSocket socket =
          admin.openStream("/ws?view=console&after=" + seq.replaceAll("\\D", ""), new Events());
      refresh(admin, ids);
      open.countDown();
      Duration pause = phase;
      while (!closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        refresh(admin, ids);
        pause = REFRESH_INTERVAL;
      }
      socket.abort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void refresh(AdminClient admin, String ids)
      throws IOException, InterruptedException {
    admin.get("/console/summary");
    admin.get("/console/rows?ids=" + ids);
  }

  private final class Events implements WebSocket.Listener {

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      batches.incrementAndGet();
      return WebSocket.Listener.super.onText(socket, data, last);
    }
  }
}
