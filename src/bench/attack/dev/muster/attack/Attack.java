package dev.muster.attack;

/**
 * An attempt of one caller to use up shared resources.
 *
 * @param name its name in the long form and in {@code docs/limits.md}
 * @param reachesItsLimitOnlyAlone whether a promise is tested only when no other attack runs beside
 *     it: {@link AttackRun#isAlone}
 */
record Attack(String name, boolean reachesItsLimitOnlyAlone, Preparation preparation) {

  Attack(String name, Preparation preparation) {
    this(name, false, preparation);
  }

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
