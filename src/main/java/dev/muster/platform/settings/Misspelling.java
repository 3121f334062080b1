package dev.muster.platform.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that an unknown one is probably meant to be. */
public final class Misspelling {

  /** How many letters may be too many, missing or others. */
  private static final int MOST_EDITS = 2;

  private Misspelling() {}

  /** The nearest of those within two edits, the first of the alphabet among equals. */
  public static Optional<String> nearest(String name, Collection<String> known) {
    return known.stream()
        .filter(one -> distance(name, one) <= MOST_EDITS)
        .min(
            Comparator.comparingInt((String one) -> distance(name, one))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Levenshtein's; more than two is always 3. */
  static int distance(String one, String other) {
    if (Math.abs(one.length() - other.length()) > MOST_EDITS) {
      return MOST_EDITS + 1;
    }
    int[] above = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] row = new int[other.length() + 1];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = above[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return Math.min(above[other.length()], MOST_EDITS + 1);
  }
}
