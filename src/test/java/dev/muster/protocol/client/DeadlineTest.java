package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.client.A2aResult.OutOfTime;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A send ends by its deadline, whatever happens (R7.10). */
@Slow
@Timeout(60)
class DeadlineTest {

  private static final Duration TIME = Duration.ofMillis(1_200);
  private static final Duration PROMISED = Duration.ofMillis(50);

  /** Other tests share the machine; only a few sends may need so much more. */
  private static final Duration TOLERATED = Duration.ofSeconds(1);

  private final TestPeer peer;
  private final MachinePauses pauses = new MachinePauses();

  DeadlineTest() throws IOException {
    peer = TestPeer.start();
  }

  /** The first send of a process loads classes, for longer than the deadlines here. */
  @BeforeAll
  static void loadClasses() throws IOException {
    try (TestPeer other = TestPeer.start().usually(PeerBehavior.answer(200, "{}"));
        A2aClient client = A2aClient.builder().build()) {
      assertThat(client.send(Requests.within(Duration.ofSeconds(20), other.url())).attempts())
          .isEqualTo(1);
    }
  }

  @AfterEach
  void close() throws IOException {
    peer.close();
    pauses.close();
  }

  @Test
  void endsWhileAnAnswerDrips() {
    peer.usually(PeerBehavior.drip(Duration.ofMillis(20)));
    try (A2aClient client = A2aClient.builder().build()) {
      A2aResult result = client.send(Requests.within(TIME, peer.url()));
      assertOutOfTime(result, FailureKind.READ_TIMEOUT);
      assertThat(result.deliveries()).isEqualTo(1);
    }
    Awaitility.await().until(() -> peer.openConnections() == 0);
  }

  @Test
  void endsWhileThePeerDoesNotRead() {
    peer.usually(PeerBehavior.deafness());
    byte[] large = new byte[16 * 1024 * 1024]; // more than socket buffers hold
    A2aRequest request =
        new A2aRequest(
            Requests.TARGET, peer.url(), large, Map.of(), Duration.ofMinutes(5), Deadline.in(TIME));
    try (A2aClient client = A2aClient.builder().build()) {
      A2aResult result = client.send(request);
      assertOutOfTime(result, FailureKind.WRITE_TIMEOUT);
      // the peer has a part of it, perhaps all it needs
      assertThat(result.mayBeDelivered()).isTrue();
    }
  }

  @Test
  void endsWhileANameIsLookedUpAndSendsNothingAfterwards() {
    CountDownLatch found = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    TargetGuard slow =
        Requests.resolvingBy(_ -> {
          asked.countDown();
          awaitUninterrupted(found); // like the operating system's lookup
          return List.of(InetAddress.getLoopbackAddress());
        });
    try (A2aClient client = A2aClient.builder().guard(slow).build()) {
      String url = peer.url().replace("127.0.0.1", "agent.example");
      A2aResult result = client.send(Requests.within(TIME, url));
      assertOutOfTime(result, FailureKind.UNKNOWN_HOST);
      assertThat(result.mayBeDelivered()).isFalse();
      assertThat(asked.getCount()).isZero();
      found.countDown();
      Awaitility.await().during(Duration.ofMillis(300)).until(() -> peer.deliveries().isEmpty());
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void splitsTheTimeBetweenAttempts() {
    peer.usually(PeerBehavior.silence());
    try (A2aClient client = A2aClient.builder().pause(_ -> {}).build()) {
      A2aResult result =
          client.send(
              Requests.to(
                  peer.url(), Duration.ofMillis(300), Deadline.in(Duration.ofMillis(3_000))));
      assertThat(result).isInstanceOf(OutOfTime.class);
      // each takes 0.3 s; the next back-off, of 0.75 s, 1.5 s and more, must still fit
      assertThat(result.attempts()).isBetween(2, 4);
      assertThat(peer.awaitDeliveries(result.attempts())).hasSize(result.attempts());
    }
  }

  /** The short form of the proof with 10,000 sends; a sixth of them have no peer at all. */
  @Test
  void endsInTimeForFiveHundredSendsThatFail() throws IOException {
    List<Fault.Place> places = new ArrayList<>();
    try (A2aClient client =
        A2aClient.builder().policy(new RetryPolicy(5, true, Duration.ofSeconds(30))).build()) {
      for (Fault fault : Fault.values()) {
        places.add(fault.occur());
      }
      List<Duration> overtimes =
          Race.run(
              500,
              i -> {
                // not all at once: the work of ending them would wait for the processors
                Duration time = Duration.ofMillis(1000 + 4 * i);
                Fault.Place place = places.get(i % places.size());
                A2aResult result = client.send(Requests.within(time, place.url()));
                assertThat(result).isInstanceOf(OutOfTime.class);
                return result.elapsed().minus(time);
              });
      Duration tolerated = TOLERATED.plus(pauses.longest());
      Duration promised = PROMISED.plus(pauses.longest());
      assertThat(overtimes).allMatch(over -> over.compareTo(tolerated) < 0);
      long late = overtimes.stream().filter(over -> over.compareTo(promised) > 0).count();
      assertThat(late).as("later than the deadline allows").isLessThan(25);
    } finally {
      for (Fault.Place place : places) {
        place.close();
      }
    }
  }

  private void assertOutOfTime(A2aResult result, FailureKind last) {
    assertThat(result)
        .isInstanceOfSatisfying(OutOfTime.class, end -> assertThat(end.last()).isEqualTo(last));
    assertThat(result.elapsed())
        .isBetween(TIME.minusMillis(20), TIME.plusMillis(300).plus(pauses.longest()));
    assertThat(result.attempts()).isEqualTo(1);
  }
}
