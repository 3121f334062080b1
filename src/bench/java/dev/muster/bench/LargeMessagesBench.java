package dev.muster.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The effect of senders of large messages on appends of others: paced appends alone and beside two
 * senders of messages of 15 MiB in turn, printed as a Markdown table.
 *
 * <p>Arguments, all optional: seconds a round (10), rounds (5), appends a second (100).
 */
public final class LargeMessagesBench {

  private static final int AGENTS = 100;

  /** Each gets few messages: a feed that is not read holds only few of this size. */
  private static final int TARGETS = 400;

  private static final int SENDERS = 2;

  /** One text for all messages, so that its creation costs nothing during the measurement. */
  private static final byte[] TEXT = "x".repeat(15 << 20).getBytes(US_ASCII);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger stored = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger sent = new AtomicInteger();

  private LargeMessagesBench() {}

  public static void main(String[] args) throws Exception {
    new LargeMessagesBench()
        .run(
            args.length > 0 ? Integer.parseInt(args[0]) : 10,
            args.length > 1 ? Integer.parseInt(args[1]) : 5,
            args.length > 2 ? Integer.parseInt(args[2]) : 100);
  }

  private void run(int seconds, int rounds, int perSecond) throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server = BenchProcess.start(database.url())) {
      List<String[]> fleet = BenchFleet.seed(database.url(), AGENTS + TARGETS);
      PacedRequests appends = PacedRequests.appends(server.baseUrl(), fleet.subList(0, AGENTS));
      List<String[]> targets = fleet.subList(AGENTS, fleet.size());
      for (int slower = 2; slower > 0; slower--) {
        int warmUp = perSecond / slower;
        appends.run(warmUp, seconds);
        beside(server.baseUrl(), targets, () -> Paced.run(appends::run, warmUp, seconds));
      }
      List<Paced> calm = new ArrayList<>();
      List<Paced> beside = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        calm.add(Paced.run(appends::run, perSecond, seconds));
        beside.add(
            beside(server.baseUrl(), targets, () -> Paced.run(appends::run, perSecond, seconds)));
        ratios.add(beside.getLast().p99() / calm.getLast().p99());
        System.out.printf("alone %s, beside %s%n", calm.getLast(), beside.getLast());
      }
      System.out.printf(
          """
          | %d appends/s | |
          |---|---|
          | append p50 / p99 alone, ms | %s |
          | append p50 / p99 beside two senders of 15 MiB, ms | %s |
          | **p99 beside ÷ alone** | **%s** |
          | large messages stored / refused | %,d / %,d |
          """,
          perSecond,
          Paced.text(calm),
          Paced.text(beside),
          Figures.of(ratios).text("%.2f"),
          stored.get(),
          refused.get());
    }
  }

  private Paced beside(String baseUrl, List<String[]> targets, Supplier<Paced> measured) {
    AtomicBoolean isOver = new AtomicBoolean();
    try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < SENDERS; i++) {
        senders.execute(() -> send(baseUrl, targets, isOver));
      }
      try {
        return measured.get();
      } finally {
        isOver.set(true);
      }
    }
  }

  /** Sends one after the other, each to another target, in the name of the target's own agent. */
  private void send(String baseUrl, List<String[]> targets, AtomicBoolean isOver) {
    while (!isOver.get()) {
      String[] target = targets.get(sent.getAndIncrement() % targets.size());
      String beginning =
          """
          {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"%s",\
          "parts":[{"kind":"text","text":"\
          """
              .formatted(UUID.randomUUID());
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(baseUrl + Messages.path(target[0])))
              .header("Authorization", "Bearer " + target[1])
              .header("Content-Type", "application/json")
              .POST(
                  BodyPublishers.concat(
                      BodyPublishers.ofString(beginning),
                      BodyPublishers.ofByteArray(TEXT),
                      BodyPublishers.ofString("\"}]}}}")))
              .build();
      try {
        int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        (status == 200 ? stored : refused).incrementAndGet();
      } catch (IOException e) {
        refused.incrementAndGet();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
