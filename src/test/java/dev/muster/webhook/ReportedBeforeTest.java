package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.webhook.NotificationRepository.Head;
import dev.muster.webhook.TroubleChange.Begins;
import dev.muster.webhook.TroubleRepository.Counts;
import dev.muster.webhook.TroubleRepository.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A workspace whose trouble changed: the receiver knows of the first trouble only, and has to learn
 * that the workspace is well again.
 */
class ReportedBeforeTest {

  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");
  private static final Cause FIRST = new Cause("degraded", "error_rate", "quota");
  private static final Due RECOVERED_FROM_SILENCE = new Due(true, Cause.SILENCE);

  private final TestDatabase database = TestDatabases.create();
  private final JdbcClient db = JdbcClient.create(new DriverManagerDataSource(database.url()));
  private final TroubleRepository troubles = new TroubleRepository(db);
  private final NotificationRepository notifications = new NotificationRepository(db);
  private final UUID workspace = UUID.randomUUID();

  private void begin(Cause cause) {
    troubles.begin(
        List.of(new Begins(workspace.toString(), workspace, null, cause, null, NOW)), NOW);
  }

  /** Makes a notification of a trouble, as the collection does. */
  private UUID report(Cause cause) {
    UUID id = UUID.randomUUID();
    troubles.markReported(new Due(false, cause), id, NOW);
    notifications.insert(id, false, cause, "{}", NOW);
    return id;
  }

  private void recover() {
    troubles.end(List.of(workspace.toString()), NOW);
  }

  private List<Due> due() {
    Duration minute = Duration.ofMinutes(1);
    return notifications.due(
        List.of("degraded", "offline"),
        NOW.plus(minute.multipliedBy(2)),
        minute,
        minute,
        NotificationWriter.OFTEN,
        minute);
  }

  @Test
  void reportsTheRecoveryFromATroubleThatEndedUnreported() {
    begin(FIRST);
    notifications.end(report(FIRST));
    begin(Cause.SILENCE);

    recover();

    assertThat(due()).containsExactly(RECOVERED_FROM_SILENCE);
  }

  @Test
  void reportsTheRecoveryFromATroubleWhoseNotificationWasDropped() {
    begin(FIRST);
    notifications.end(report(FIRST));
    begin(Cause.SILENCE);
    UUID dropped = report(Cause.SILENCE);
    recover();

    notifications.drop(dropped);

    assertThat(due()).containsExactly(RECOVERED_FROM_SILENCE);
  }

  /** Another workspace is silent for longer, and no one was told. */
  @Test
  void countsTheTimeOfARecoveryFromWhatWasReported() {
    UUID other = UUID.randomUUID();
    troubles.begin(
        List.of(
            new Begins(other.toString(), other, null, Cause.SILENCE, null, NOW.minusSeconds(3600))),
        NOW);
    begin(FIRST);
    notifications.end(report(FIRST));
    begin(Cause.SILENCE);
    recover();

    Counts counts = troubles.count(RECOVERED_FROM_SILENCE);

    assertThat(counts.reported()).isEqualTo(1);
    assertThat(counts.since()).isEqualTo(NOW);
  }

  @Test
  void reportsNoEndOfAMassSilenceWhoseNotificationWasDropped() {
    notifications.begin(0, NOW);
    notifications.moveHead(new Head(0, NOW, true));
    UUID dropped = report(Cause.MASS_SILENCE);

    notifications.drop(dropped);

    assertThat(database.value("SELECT hold_reported FROM webhook_head")).isEqualTo("f");
  }

  @Test
  void reportsNoRecoveryFromTheOnlyTroubleWhoseNotificationWasDropped() {
    begin(FIRST);
    UUID dropped = report(FIRST);
    recover();

    notifications.drop(dropped);

    assertThat(due()).isEmpty();
    assertThat(database.value("SELECT count(*) FROM webhook_troubles")).isEqualTo("0");
  }
}
