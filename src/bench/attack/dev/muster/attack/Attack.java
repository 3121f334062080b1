package dev.muster.attack;

/**
 * One way to take what is for everybody, by small means: starts its threads, and returns.
 *
 * @param name by which the long form and {@code docs/limits.md} know it
 */
record Attack(String name, Start start) {

  @FunctionalInterface
  interface Start {
    void start(AttackRun run) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
