package dev.muster.testing;

/**
 * How often a test repeats what it does: few times in {@code mvn verify}, more often in the nightly
 * run, which sets {@code -Dtest.rounds=full}.
 */
public final class Rounds {

  private static final String PROPERTY = "test.rounds";
  private static final boolean ARE_FULL = areFull(System.getProperty(PROPERTY, ""));

  private Rounds() {}

  /** Returns {@code few}, and {@code full} in the nightly run. */
  public static int of(int few, int full) {
    return ARE_FULL ? full : few;
  }

  /** Whether tests are run in their full form. */
  public static boolean areFull() {
    return ARE_FULL;
  }

  private static boolean areFull(String given) {
    return switch (given) {
      case "" -> false;
      case "full" -> true;
      default ->
          throw new IllegalStateException(
              "-D%s=%s (expected: full, or nothing)".formatted(PROPERTY, given));
    };
  }
}
