package dev.muster.activity;

import org.jspecify.annotations.Nullable;

/**
 * What a new row takes, in bytes: each of its bodies (null when there is none), the row as lists
 * show it, and all of it, by which its feed is bounded (R6.7a).
 */
record RowSize(
    @Nullable Integer request,
    @Nullable Integer response,
    @Nullable Integer toolTrace,
    int listed,
    long whole) {

  static RowSize of(NewActivity row) {
    @Nullable Integer request = ListedSize.bytes(row.bodies().request());
    @Nullable Integer response = ListedSize.bytes(row.bodies().response());
    @Nullable Integer toolTrace = ListedSize.bytes(row.bodies().toolTrace());
    long others = ListedSize.withoutBodies(row);
    long listed =
        others
            + ListedSize.listed(request)
            + ListedSize.listed(response)
            + ListedSize.listed(toolTrace);
    return new RowSize(
        request,
        response,
        toolTrace,
        (int) Math.min(listed, Integer.MAX_VALUE),
        others + bytes(request) + bytes(response) + bytes(toolTrace));
  }

  private static long bytes(@Nullable Integer body) {
    return body == null ? 0 : body;
  }
}
