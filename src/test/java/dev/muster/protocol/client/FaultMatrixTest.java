package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.OutOfTime;
import dev.muster.protocol.client.A2aResult.SendEndReason;
import dev.muster.protocol.client.A2aResult.Unreachable;
import dev.muster.protocol.client.Fault.Place;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each fault, with and without retries of ambiguous failures (R7.10). */
@Slow
@Timeout(60)
class FaultMatrixTest {

  private static final Duration SHORT = Duration.ofMillis(250);

  /** Less than the shortest back-off, after which there would be another attempt. */
  private static final Duration ONE_ATTEMPT = Duration.ofMillis(700);

  private static final Duration MINUTES = Duration.ofMinutes(10);

  /** Tolerance on a machine on which other tests run; the documented one is 50 ms. */
  private static final Duration SLACK = Duration.ofMillis(300);

  private final List<Duration> waits = new CopyOnWriteArrayList<>();
  private final List<String> outcomes = new CopyOnWriteArrayList<>();

  private A2aClient client(Fault fault, boolean retriesAmbiguous) {
    return A2aClient.builder()
        .policy(new RetryPolicy(5, retriesAmbiguous, limit(fault)))
        .pause(waits::add)
        .listener((_, outcome) -> outcomes.add(outcome))
        .build();
  }

  /** Of an attempt: only some faults let it take that long. */
  private static Duration limit(Fault fault) {
    return fault.takesAllTime() ? SHORT : Duration.ofSeconds(10);
  }

  @ParameterizedTest
  @EnumSource
  void triesFiveTimesAndReportsTheLastFailure(Fault fault) throws IOException {
    try (A2aClient client = client(fault, true);
        Place place = fault.occur()) {
      A2aResult result = client.send(Requests.to(place.url(), limit(fault), Deadline.in(MINUTES)));

      assertThat(result)
          .isInstanceOfSatisfying(
              Unreachable.class,
              end -> {
                assertThat(fault.is(end.last())).as(end.toString()).isTrue();
                assertThat(end.why()).isEqualTo(SendEndReason.ATTEMPTS_USED_UP);
              });
      assertThat(result.attempts()).isEqualTo(5);
      assertDeliveries(fault, result, 5);
      assertWholeDeliveries(fault, place, 5);
      assertBackedOff();
      assertThat(outcomes).hasSize(5);
      assertReadable(result, "attempts 5/5, elapsed ");
    }
  }

  @ParameterizedTest
  @EnumSource
  void sendsOnceAfterAnAmbiguousFailureWithoutRetries(Fault fault) throws IOException {
    try (A2aClient client = client(fault, false);
        Place place = fault.occur()) {
      A2aResult result = client.send(Requests.to(place.url(), limit(fault), Deadline.in(MINUTES)));

      assertDeliveries(fault, result, 1);
      boolean arrived = result.mayBeDelivered();
      SendEndReason why = arrived ? SendEndReason.AMBIGUOUS : SendEndReason.ATTEMPTS_USED_UP;
      assertThat(result)
          .isInstanceOfSatisfying(Unreachable.class, end -> assertThat(end.why()).isEqualTo(why));
      if (fault.isCertain()) {
        assertThat(result.attempts()).isEqualTo(arrived ? 1 : 5);
      }
      assertWholeDeliveries(fault, place, 1);
      assertReadable(result, "attempts " + result.attempts() + "/5, elapsed ");
    }
  }

  @ParameterizedTest
  @EnumSource
  void endsByTheDeadline(Fault fault) throws IOException {
    try (A2aClient client =
            A2aClient.builder()
                .policy(new RetryPolicy(5, true, MINUTES))
                .listener((_, outcome) -> outcomes.add(outcome))
                .build();
        MachinePauses pauses = new MachinePauses();
        Place place = fault.occur()) {
      A2aResult result = client.send(Requests.within(ONE_ATTEMPT, place.url()));

      assertThat(result.elapsed()).isLessThan(ONE_ATTEMPT.plus(SLACK).plus(pauses.longest()));
      assertThat(result)
          .isInstanceOfSatisfying(
              OutOfTime.class,
              end ->
                  assertThat(end.last())
                      .isNotNull()
                      .satisfies(k -> assertThat(fault.is(k)).isTrue()));
      assertThat(result.attempts()).isEqualTo(1);
      assertDeliveries(fault, result, 1);
      assertReadable(result, "attempts 1/5, elapsed ");
      assertThat(A2aErrors.text(result)).endsWith(", out of time");
    }
  }

  @ParameterizedTest
  @EnumSource
  void doesNotAffectTheNextSend(Fault fault) throws IOException {
    try (Place place = fault.occur();
        A2aClient client = client(fault, true)) {
      @Nullable TestPeer peer = place.peer();
      assumeThat(peer).as("a peer without a fault at the next request").isNotNull();
      A2aResult failed =
          client.send(Requests.to(place.url(), SHORT, Deadline.in(Duration.ofMillis(500))));
      assertThat(failed).isInstanceOf(OutOfTime.class);

      Objects.requireNonNull(peer).usually(PeerBehavior.echo());
      A2aResult result = client.send(Requests.to(place.url()));
      assertThat(result).isInstanceOf(Answer.class);
      assertThat(result.attempts()).isEqualTo(1);
    }
  }

  private static void assertDeliveries(Fault fault, A2aResult result, int most) {
    int certain = fault.isCertain() && fault.mayArrive() ? most : 0;
    assertThat(result.deliveries()).isBetween(certain, fault.mayArrive() ? most : 0);
    assertThat(result.mayBeDelivered()).isEqualTo(result.deliveries() > 0);
  }

  private static void assertWholeDeliveries(Fault fault, Place place, int most) {
    TestPeer peer = place.peer();
    if (peer != null) {
      assertThat(peer.deliveries()).hasSize(fault.arrivesWhole() ? most : 0);
      assertThat(peer.deliveries()).allMatch(one -> one.text().equals(Requests.BODY));
    }
  }

  private void assertBackedOff() {
    assertThat(waits).hasSize(4);
    for (int i = 0; i < waits.size(); i++) {
      assertThat(waits.get(i)).isBetween(RetryDelay.before(i + 1, 0), RetryDelay.before(i + 1, 1));
    }
  }

  private static void assertReadable(A2aResult result, String effort) {
    assertThat(A2aErrors.text(result))
        .matches("(?s)[A-Z][A-Za-z]+(: | \\().{8,} \\[target=agent-7\\], .*")
        .contains(effort)
        .doesNotContain("127.0.0.1", "localhost", "http:", "nowhere", "Exception");
  }
}
