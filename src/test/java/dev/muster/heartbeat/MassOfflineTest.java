package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.heartbeat.LivenessSweep.SweepReport;
import dev.muster.heartbeat.MassOfflineGuard.Decision;
import dev.muster.heartbeat.MassOfflineGuard.Decision.Hold;
import dev.muster.heartbeat.MassOfflineGuard.Decision.Take;
import dev.muster.heartbeat.MassOfflineGuard.FleetSilence;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Uptime;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Self-preservation: when too many workspaces are stale at once, and for how long (R5.3). */
class MassOfflineTest {

  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final Duration HOLD = Duration.ofMinutes(10);
  private static final MassOfflineGuard RULE = new MassOfflineGuard(0.5, HOLD);

  private final StaleFleet fleet = new StaleFleet(IdleServer.SERVER.database());
  private final LivenessSweep sweep = IdleServer.SERVER.bean(LivenessSweep.class);

  @BeforeEach
  void removeAllWorkspaces() {
    fleet.clear();
  }

  @Test
  void allowsExactlyTheRatio() {
    assertThat(judge(10, 5, 5, null)).isEqualTo(new Take(false));
    assertThat(judge(10, 6, 6, null)).isEqualTo(new Hold(NOW));
    assertThat(new MassOfflineGuard(0.29, HOLD).judge(new FleetSilence(100, 29, 29), null, NOW))
        .isEqualTo(new Take(false));
  }

  @Test
  void allowsAnyRatioOfASmallFleet() {
    assertThat(judge(9, 9, 9, null)).isEqualTo(new Take(false));
    assertThat(judge(10, 10, 10, null)).isEqualTo(new Hold(NOW));
  }

  @Test
  void holdsForTheSettingFromTheFirstHold() {
    Instant since = NOW.minus(HOLD);

    assertThat(judge(10, 10, 10, since.plusNanos(1000))).isEqualTo(new Hold(since.plusNanos(1000)));
    assertThat(judge(10, 10, 10, since)).isEqualTo(new Take(false));
  }

  @Test
  void endsTheHoldWhenFewAreStaleAgain() {
    assertThat(judge(10, 5, 5, NOW.minusSeconds(60))).isEqualTo(new Take(true));
  }

  @Test
  void ignoresWorkspacesThatTheGraceSpares() {
    assertThat(judge(10, 10, 0, null)).isEqualTo(new Take(false));
    assertThat(judge(10, 10, 0, NOW.minusSeconds(60))).isEqualTo(new Hold(NOW.minusSeconds(60)));
  }

  @Test
  void takesAllOfflineOnlyAfterTheHold() {
    fleet.add(12, "online", NOW.minusSeconds(200));

    assertThat(sweepAt(NOW).heldSince()).isEqualTo(NOW);
    assertThat(sweepAt(NOW.plusSeconds(15)).heldSince()).isEqualTo(NOW);
    assertThat(fleet.count("online")).isEqualTo(12);
    assertThat(fleet.events("LIVENESS_SUSPENDED")).isEqualTo(1);
    assertThat(
            fleet
                .database()
                .value(
                    """
                    SELECT concat_ws(' ', coalesce(workspace_id::text, 'none'), payload->>'silent', payload->>'live',
                        payload->>'ratio', payload->>'hold_until')
                    FROM events WHERE event_type = 'LIVENESS_SUSPENDED'
                    """))
        .isEqualTo("none 12 12 0.5 2026-03-01T10:10:00Z");

    assertThat(sweepAt(NOW.plus(HOLD)).takenOffline()).isEqualTo(12);
    assertThat(fleet.count("offline")).isEqualTo(12);
  }

  @Test
  void publishesASecondEpisodeAgain() {
    fleet.add(12, "online", NOW.minusSeconds(200));
    sweepAt(NOW);
    fleet.database().execute("UPDATE workspace_heartbeats SET last_heartbeat_at = '" + NOW + "'");

    assertThat(sweepAt(NOW.plusSeconds(60)).heldSince()).isNull();
    assertThat(stored()).isNull();

    Instant later = NOW.plusSeconds(300);
    assertThat(sweepAt(later).heldSince()).isEqualTo(later);
    assertThat(fleet.events("LIVENESS_SUSPENDED")).isEqualTo(2);
    assertThat(fleet.count("online")).isEqualTo(12);
  }

  private static Decision judge(long live, long silent, long due, @Nullable Instant holdSince) {
    return RULE.judge(new FleetSilence(live, silent, due), holdSince, NOW);
  }

  private SweepReport sweepAt(Instant now) {
    Instant upSince = NOW.minus(Duration.ofDays(7));
    return sweep.sweep(new Uptime(upSince, upSince, now, stored(), now));
  }

  private static @Nullable Instant stored() {
    return IdleServer.SERVER.bean(ControlPlaneUptime.class).read().holdSince();
  }
}
