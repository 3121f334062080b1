package dev.muster.platform.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** Reads and updates the single row of {@code control_plane_uptime}. */
@Repository
class UptimeRepository {

  private static final String READ =
      """
      SELECT down_since, up_since, alive_until, hold_since, clock_timestamp() AS now FROM control_plane_uptime
      """;

  private static final String LOCK =
      """
      SELECT down_since, up_since, alive_until, hold_since, clock_timestamp() AS now
      FROM control_plane_uptime FOR NO KEY UPDATE
      """;

  private static final String TICK =
      """
      UPDATE control_plane_uptime SET down_since = :down_since, up_since = :up_since, alive_until = :alive_until
      """;

  private static final String BEGIN_HOLD =
      "UPDATE control_plane_uptime SET hold_since = :since WHERE hold_since IS NULL";

  private static final String END_HOLD =
      "UPDATE control_plane_uptime SET hold_since = NULL WHERE hold_since IS NOT NULL";

  private final JdbcClient db;

  UptimeRepository(JdbcClient db) {
    this.db = db;
  }

  Uptime read() {
    return db.sql(READ).query(UptimeRepository::uptime).single();
  }

  @Transactional
  public Uptime tick(Duration gap) {
    Uptime ticked = db.sql(LOCK).query(UptimeRepository::uptime).single().recordTick(gap);
    db.sql(TICK)
        .param("down_since", Timestamps.utc(ticked.downSince()))
        .param("up_since", Timestamps.utc(ticked.upSince()))
        .param("alive_until", Timestamps.utc(ticked.aliveUntil()))
        .update();
    return ticked;
  }

  boolean beginHold(Instant since) {
    return db.sql(BEGIN_HOLD).param("since", Timestamps.utc(since)).update() == 1;
  }

  boolean endHold() {
    return db.sql(END_HOLD).update() == 1;
  }

  private static Uptime uptime(ResultSet row, int n) throws SQLException {
    return new Uptime(
        Timestamps.instant(row, "down_since"),
        Timestamps.instant(row, "up_since"),
        Timestamps.instant(row, "alive_until"),
        Timestamps.instantOrNull(row, "hold_since"),
        Timestamps.instant(row, "now"));
  }
}
