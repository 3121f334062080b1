package dev.muster.platform.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Finds the known name that is most similar to an unknown one.
 *
 * <p>An edit is an added, missing or replaced letter, or two swapped neighbours.
 */
public final class Misspelling {

  /** Names under six letters may have one edit, and names under three letters none. */
  public static final int MAX_EDITS = 2;

  private static final int LETTERS_FOR_AN_EDIT = 3;

  private Misspelling() {}

  /** Returns the most similar known name, the alphabetically first one of several. */
  public static Optional<String> nearest(String name, Collection<String> known) {
    return known.stream()
        .filter(one -> isNear(name, one))
        .min(
            Comparator.comparingInt((String one) -> distance(name, one))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Allows one edit per three letters: in a short name two edits could make any other name. */
  private static boolean isNear(String name, String other) {
    int most = Math.min(MAX_EDITS, Math.max(name.length(), other.length()) / LETTERS_FOR_AN_EDIT);
    return distance(name, other) <= most;
  }

  /** Returns the number of edits (optimal string alignment distance), capped at 3. */
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
