package dev.muster.attack;

/**
 * An attempt of one caller to use up shared resources.
 *
 * @param name its name in the long form and in {@code docs/limits.md}
 */
record Attack(String name, Preparation preparation) {

  @FunctionalInterface
  interface Preparation {
    /** Prepares the attack, and starts its repeated steps. */
    void prepare(AttackRun run) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
