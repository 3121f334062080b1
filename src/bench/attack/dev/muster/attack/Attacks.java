package dev.muster.attack;

import java.util.List;
import java.util.stream.Stream;

/** All attacks, in the order in which they run alone. */
final class Attacks {

  private static final List<Attack> ALL =
      Stream.of(
              FloodAttacks.all(),
              ConnectionAttacks.all(),
              BodyAttacks.all(),
              AgentAttacks.all(),
              WorkspaceAttacks.all(),
              AnonymousAttacks.all())
          .flatMap(List::stream)
          .toList();

  private Attacks() {}

  static List<Attack> all() {
    return ALL;
  }

  /** Returns the attack of this name, or throws with all names. */
  static Attack named(String name) {
    return ALL.stream()
        .filter(attack -> attack.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "attack: " + name + " (expected: fuzz, all or one of " + ALL + ")"));
  }
}
