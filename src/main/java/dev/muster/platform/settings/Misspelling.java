package dev.muster.platform.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Finds the known name that an unknown one is probably meant to be. An edit is a letter too many,
 * missing or another, or two neighbours that changed places.
 */
public final class Misspelling {

  /** Names of less than six letters may have one edit, and those of less than three none. */
  public static final int MAX_EDITS = 2;

  private static final int LETTERS_FOR_AN_EDIT = 3;

  private Misspelling() {}

  /** The nearest of those that are near, the first of the alphabet among equals. */
  public static Optional<String> nearest(String name, Collection<String> known) {
    return known.stream()
        .filter(one -> isNear(name, one))
        .min(
            Comparator.comparingInt((String one) -> distance(name, one))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** In a short name two edits make any other. */
  private static boolean isNear(String name, String other) {
    int most = Math.min(MAX_EDITS, Math.max(name.length(), other.length()) / LETTERS_FOR_AN_EDIT);
    return distance(name, other) <= most;
  }

  /** Of edits of which none touches what another made; more than two is always 3. */
  static int distance(String one, String other) {
    if (Math.abs(one.length() - other.length()) > MAX_EDITS) {
      return MAX_EDITS + 1;
    }
    int[] twoAbove = new int[0];
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
        if (i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1)) {
          row[j] = Math.min(row[j], twoAbove[j - 2] + 1);
        }
      }
      twoAbove = above;
      above = row;
    }
    return Math.min(above[other.length()], MAX_EDITS + 1);
  }
}
