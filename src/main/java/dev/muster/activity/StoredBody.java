package dev.muster.activity;

import dev.muster.activity.FeedRow.Truncated;
import dev.muster.platform.json.RawJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A document of a row as it was read: {@code RawJson}, or {@code Truncated} for a large one. */
final class StoredBody {

  private StoredBody() {}

  /**
   * {@code bytes} is the column of its size, which is there when the document itself is not read.
   */
  static @Nullable Object of(ResultSet row, String body, String bytes) throws SQLException {
    @Nullable String json = row.getString(body);
    if (json != null) {
      return new RawJson(json);
    }
    @Nullable Integer size = row.getObject(bytes, Integer.class);
    return size == null ? null : Truncated.of(size);
  }
}
