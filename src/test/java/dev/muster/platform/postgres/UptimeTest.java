package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.ControlPlaneUptime.UptimeTiming;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The uptime after a tick, and which gaps end it. */
class UptimeTest {

  private static final Instant DOWN = Instant.parse("2026-02-28T23:00:00Z");
  private static final Instant UP = Instant.parse("2026-03-01T00:00:00Z");
  private static final Instant ALIVE = Instant.parse("2026-03-01T10:00:00Z");
  private static final Duration GAP = Duration.ofSeconds(30);

  @Test
  void continuesAfterExactlyTheGap() {
    Uptime recordTick = at(ALIVE.plus(GAP)).recordTick(GAP);

    assertThat(recordTick.downSince()).isEqualTo(DOWN);
    assertThat(recordTick.upSince()).isEqualTo(UP);
    assertThat(recordTick.aliveUntil()).isEqualTo(ALIVE.plus(GAP));
  }

  @Test
  void restartsAMicrosecondLater() {
    Instant now = ALIVE.plus(GAP).plusNanos(1000);

    Uptime recordTick = at(now).recordTick(GAP);

    assertThat(recordTick.downSince()).isEqualTo(ALIVE);
    assertThat(recordTick.upSince()).isEqualTo(now);
    assertThat(recordTick.aliveUntil()).isEqualTo(now);
  }

  @Test
  void isNeverSetBackByALateReplica() {
    assertThat(at(ALIVE.minusSeconds(5)).recordTick(GAP).aliveUntil()).isEqualTo(ALIVE);
  }

  @Test
  void keepsTheHoldAcrossAGap() {
    Instant hold = ALIVE.minusSeconds(60);
    Uptime back = new Uptime(DOWN, UP, ALIVE, hold, ALIVE.plusSeconds(600));

    assertThat(back.recordTick(GAP).holdSince()).isEqualTo(hold);
  }

  @Test
  void isFreshUntilTheGap() {
    assertThat(at(ALIVE.plus(GAP)).isFresh(GAP)).isTrue();
    assertThat(at(ALIVE.plus(GAP).plusNanos(1000)).isFresh(GAP)).isFalse();
  }

  @Test
  void detectsGapsOfASixthOfTheStaleTimeWithinBounds() {
    assertThat(gapFor(180)).isEqualTo(Duration.ofSeconds(30));
    assertThat(gapFor(60)).isEqualTo(Duration.ofSeconds(10));
    assertThat(gapFor(6)).isEqualTo(Duration.ofSeconds(3));
    assertThat(gapFor(3600)).isEqualTo(Duration.ofSeconds(30));
    assertThat(new UptimeTiming(GAP).tick()).isEqualTo(Duration.ofSeconds(5));
  }

  private static Duration gapFor(int staleAfterS) {
    return UptimeTiming.forStaleAfter(Duration.ofSeconds(staleAfterS)).gap();
  }

  private static Uptime at(Instant now) {
    return new Uptime(DOWN, UP, ALIVE, null, now);
  }
}
