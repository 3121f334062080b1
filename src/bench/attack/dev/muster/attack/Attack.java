package dev.muster.attack;

/**
 * An attempt of one caller to use up shared resources.
 *
 * @param name its name in the long form and in {@code docs/limits.md}
 * @param runsBesideOthers whether it is one of those that run together. All of them would take more
 *     of two processors than there is
 */
record Attack(String name, Preparation preparation, boolean runsBesideOthers) {

  Attack(String name, Preparation preparation) {
    this(name, preparation, true);
  }

  static Attack alone(String name, Preparation preparation) {
    return new Attack(name, preparation, false);
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
