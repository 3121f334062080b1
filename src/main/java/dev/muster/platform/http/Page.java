package dev.muster.platform.http;

import java.util.List;

/** One page of a list and where the next one starts; {@code next} is null on the last page. */
public record Page<T>(List<T> items, @org.jspecify.annotations.Nullable PageCursor next) {

  public Page {
    items = List.copyOf(items);
  }

  /**
   * Of {@code rows} read with one more than {@code limit}: that one tells that there is a next
   * page.
   */
  public static <T> Page<T> of(
      List<T> rows, int limit, java.util.function.Function<T, PageCursor> cursorOf) {
    boolean more = rows.size() > limit;
    List<T> items = more ? rows.subList(0, limit) : rows;
    return new Page<>(items, more ? cursorOf.apply(items.getLast()) : null);
  }
}
