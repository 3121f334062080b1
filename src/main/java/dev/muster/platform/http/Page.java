package dev.muster.platform.http;

import java.util.List;

/** One page of a list and where the next one starts; {@code next} is null on the last page. */
public record Page<T>(List<T> items, @org.jspecify.annotations.Nullable PageCursor next) {

  /** Where a page of large rows ends early, so that no list takes the memory of all requests. */
  public static final int MAX_BYTES = 8 << 20;

  public Page {
    items = List.copyOf(items);
  }

  /**
   * Of {@code rows} read with one more than {@code limit}: that one tells that there is a next
   * page.
   */
  public static <T> Page<T> of(
      List<T> rows, int limit, java.util.function.Function<T, PageCursor> cursorOf) {
    return of(rows, rows.size(), limit, cursorOf);
  }

  /** As above; of the {@code found} rows, those beyond {@link #MAX_BYTES} are missing. */
  public static <T> Page<T> of(
      List<T> rows, int found, int limit, java.util.function.Function<T, PageCursor> cursorOf) {
    boolean more = found > Math.min(limit, rows.size());
    List<T> items = rows.subList(0, Math.min(limit, rows.size()));
    return new Page<>(items, more ? cursorOf.apply(items.getLast()) : null);
  }
}
