package dev.muster.delegation;

import java.util.List;

/** Wishes that are granted or refused each by itself, but in one transaction. */
record Wishes(Object key, List<Wish> wishes) {

  private static final int BYTES_OF_A_ROW = 512;

  /** Of one delegation, after those for it that came before. */
  static Wishes of(Wish wish) {
    return new Wishes(wish.delegationId(), List.of(wish));
  }

  /** About how much they write. */
  long weight() {
    return wishes.stream().mapToLong(wish -> BYTES_OF_A_ROW + length(wish.change())).sum();
  }

  private static long length(Change change) {
    return change instanceof Change.Completed(WholeText result, boolean heard)
        ? 2L * result.whole().length()
        : 0;
  }
}
