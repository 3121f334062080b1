package dev.muster.platform.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts instants to and from {@code timestamptz} columns.
 *
 * <p>The driver binds such columns only as {@code OffsetDateTime}.
 */
public final class Timestamps {

  private Timestamps() {}

  public static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  public static Instant instant(ResultSet row, String column) throws SQLException {
    return Objects.requireNonNull(instantOrNull(row, column), column);
  }

  public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
    @Nullable OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
