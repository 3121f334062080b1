package dev.muster.attack;

/**
 * One way to take what is for everybody, by small means.
 *
 * @param name by which the long form and {@code docs/limits.md} know it
 */
record Attack(String name, Preparation preparation) {

  @FunctionalInterface
  interface Preparation {
    /** Makes what the attack needs, and says what it then repeats. */
    void prepare(AttackRun run) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
