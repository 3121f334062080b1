package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents that never answer do not slow down deliveries to other agents (R7.14). */
@Slow
@Timeout(180)
class BlackHoleTest {

  private static final int CALLERS = 300;

  /** The bound on concurrent deliveries to one target. */
  private static final int CALLERS_OF_ONE = 64;

  private static final int SENDS = 300;

  /** The machine may be busy for a while, but not in each of these rounds. */
  private static final int ROUNDS = 3;

  private static final double MAX_TIMES_SLOWER = 3;

  /** A ratio of shorter times means nothing on a machine where other tests run. */
  private static final Duration NOISE = Duration.ofMillis(20);

  private static final TestServer SERVER =
      TestServer.start("AGENT_URL_ALLOW=loopback", "A2A_DELEGATE_MAX_ATTEMPTS=1");
  private static final PushAgents CALLED = new PushAgents(SERVER);
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @Test
  void doesNotSlowDownOtherTargets() throws IOException {
    try (TestPeer good = TestPeer.start()) {
      Agent quick = CALLED.at(good.url());
      p99(quick);
      double best = Double.MAX_VALUE;
      for (int round = 0; round < ROUNDS && best > MAX_TIMES_SLOWER; round++) {
        best = Math.min(best, ratio(quick));
      }
      assertThat(best).isLessThanOrEqualTo(MAX_TIMES_SLOWER);
    }
  }

  private static double ratio(Agent quick) throws IOException {
    Duration alone = p99(quick);
    Duration beside;
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    try (TestPeer hole = TestPeer.start().usually(PeerBehavior.silence())) {
      for (int n = 0; n < CALLERS; n += CALLERS_OF_ONE) {
        Agent silent = CALLED.at(hole.url());
        IntStream.range(n, Math.min(CALLERS, n + CALLERS_OF_ONE))
            .forEach(m -> waiting.add(sending(silent, "m" + m)));
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> hole.deliveries().size() == CALLERS);
      beside = p99(quick);
      assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }
    assertThat(waiting)
        .extracting(answer -> answer.join().status())
        .hasSize(CALLERS)
        .containsOnly(504);
    double ratio =
        (double) Math.max(beside.toNanos(), NOISE.toNanos())
            / Math.max(alone.toNanos(), NOISE.toNanos());
    System.out.printf(
        Locale.ROOT,
        "p99 of a good target: %.1f ms alone, %.1f ms beside %d unanswered calls, ratio"
            + " %.2f%n",
        alone.toNanos() / 1e6,
        beside.toNanos() / 1e6,
        CALLERS,
        ratio);
    return ratio;
  }

  private static CompletableFuture<Answer> sending(Agent target, String id) {
    return CompletableFuture.supplyAsync(
        () -> PROXY.send(target, ADMIN_TOKEN, ProxyClient.message(id, "hi")),
        Thread::startVirtualThread);
  }

  private static Duration p99(Agent target) {
    List<Long> nanos = new ArrayList<>();
    for (int i = 0; i < SENDS; i++) {
      long began = System.nanoTime();
      Answer answer =
          PROXY.send(
              target, ADMIN_TOKEN, ProxyClient.sending("{'content':'hi'}"), "X-Timeout", "5");
      nanos.add(System.nanoTime() - began);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }
    nanos.sort(null);
    return Duration.ofNanos(nanos.get(SENDS * 99 / 100));
  }
}
