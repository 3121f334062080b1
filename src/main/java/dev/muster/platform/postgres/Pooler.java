package dev.muster.platform.postgres;

import dev.muster.platform.settings.StartRefusedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/**
 * Whether a pooler in transaction mode, such as PgBouncer, stands before the database (R12.1).
 *
 * <p>It lends a connection of the database for one transaction. What a connection keeps beyond that
 * is lost or reaches others: its options, prepared statements, {@code LISTEN}. So the server uses
 * none of them behind a pooler.
 */
public record Pooler(boolean isUsed) {

  private static final int OLDEST_MAJOR = 15;

  /**
   * The option by which a connection is recognised: a pooler refuses options, or does not pass them
   * on. Another option could be a default of the database too.
   */
  private static final String MARK = "muster.connection";

  private static final String PROTOCOL_VIOLATION = "08P01";

  /**
   * Opens a connection, and finds out.
   *
   * @throws StartRefusedException if the database is of an old version
   */
  public static Pooler find(DatabaseAddress address) throws SQLException {
    return find(address, address.required("muster-start"), "");
  }

  /**
   * As {@link #find(DatabaseAddress)}.
   *
   * @param asked what the driver needs for the connection
   * @param options those of the pool's connections
   */
  static Pooler find(DatabaseAddress address, Properties asked, String options)
      throws SQLException {
    String mark = UUID.randomUUID().toString();
    Properties marked = new Properties();
    marked.putAll(asked);
    String own = Objects.requireNonNullElse(PGProperty.OPTIONS.getOrDefault(asked), "");
    PGProperty.OPTIONS.set(marked, "%s %s -c %s=%s".formatted(own, options, MARK, mark));
    try {
      return new Pooler(!mark.equals(markOfConnection(address, marked)));
    } catch (SQLException e) {
      if (!refusesOptions(e)) {
        throw e;
      }
      @Nullable String _ = markOfConnection(address, asked);
      return new Pooler(true);
    }
  }

  private static @Nullable String markOfConnection(DatabaseAddress address, Properties properties)
      throws SQLException {
    try (Connection connection = address.connect(properties);
        PreparedStatement read = connection.prepareStatement("SELECT current_setting(?, true)")) {
      int major = connection.getMetaData().getDatabaseMajorVersion();
      if (major < OLDEST_MAJOR) {
        throw new StartRefusedException(
            "The database is PostgreSQL %d; Muster needs PostgreSQL %d or newer."
                .formatted(major, OLDEST_MAJOR));
      }
      read.setString(1, MARK);
      try (ResultSet row = read.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static boolean refusesOptions(SQLException failure) {
    return PROTOCOL_VIOLATION.equals(failure.getSQLState())
        && ReachableDatabase.serverMessage(failure).contains("startup parameter");
  }
}
