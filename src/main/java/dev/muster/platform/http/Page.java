package dev.muster.platform.http;

import java.util.List;

/**
 * Holds one page of a list.
 *
 * @param next the cursor of the next page; null on the last page
 */
public record Page<T>(List<T> items, @org.jspecify.annotations.Nullable PageCursor next) {

  /**
   * Ends a page of large rows early.
   *
   * <p>The bound keeps one list from using up the memory of all requests.
   */
  public static final int MAX_BYTES = 8 << 20;

  public Page {
    items = List.copyOf(items);
  }

  /**
   * Creates a page from rows.
   *
   * @param rows read with a limit of {@code limit + 1}; an additional row shows that there is a
   *     next page
   */
  public static <T> Page<T> of(
      List<T> rows, int limit, java.util.function.Function<T, PageCursor> cursorOf) {
    return of(rows, rows.size(), limit, cursorOf);
  }

  /**
   * Creates a page from rows that end at {@link #MAX_BYTES}.
   *
   * @param found the number of rows found, including those that {@code rows} lacks
   */
  public static <T> Page<T> of(
      List<T> rows, int found, int limit, java.util.function.Function<T, PageCursor> cursorOf) {
    boolean more = found > Math.min(limit, rows.size());
    List<T> items = rows.subList(0, Math.min(limit, rows.size()));
    return new Page<>(items, more ? cursorOf.apply(items.getLast()) : null);
  }
}
