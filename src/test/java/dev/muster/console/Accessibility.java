package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** What axe finds on a page that is open, in each {@link Tab.Look}. */
final class Accessibility {

  private static final String AXE = read();

  private static final String FIND =
      """
      async rules => {
        const found = await axe.run(document, {resultTypes: ['violations'], ...(rules.length > 0 ? {runOnly: rules} : {})});
        return found.violations
          .filter(v => v.impact === 'serious' || v.impact === 'critical')
          .flatMap(v => v.nodes.map(n => `${v.id} (${v.impact}): ${n.target} ${n.html.slice(0, 160)}`
            + ` ${n.any.concat(n.all).map(c => c.message).join('; ')}`));
      }
      """;

  /** The rules that depend on the look of a page. */
  private static final List<String> OF_COLOURS = List.of("color-contrast", "link-in-text-block");

  private Accessibility() {}

  /**
   * Fails for each serious or critical finding of all rules, and of those of colours in the dark;
   * at night also in the looks of high contrast.
   */
  static void check(Tab tab) {
    check(tab, Rounds.areFull() ? Tab.Look.values() : new Tab.Look[] {Tab.Look.DARK});
  }

  /**
   * Fails for each serious or critical finding of all rules, and of those of colours in each look.
   */
  static void checkInAllLooks(Tab tab) {
    check(tab, Tab.Look.values());
  }

  /** Fails for each serious or critical finding of all rules in one look. */
  static void checkIn(Tab tab, Tab.Look look) {
    tab.looks(look);
    check(tab, look.toString(), List.of());
    tab.looks(Tab.Look.LIGHT);
  }

  private static void check(Tab tab, Tab.Look[] looks) {
    check(tab, "all rules", List.of());
    for (Tab.Look look : looks) {
      if (look != Tab.Look.LIGHT) {
        tab.looks(look);
        check(tab, look.toString(), OF_COLOURS);
      }
    }
    tab.looks(Tab.Look.LIGHT);
  }

  private static void check(Tab tab, String what, List<String> rules) {
    if (!Boolean.TRUE.equals(tab.page().evaluate("() => !!window.axe"))) {
      tab.page().evaluate(AXE);
    }
    assertThat((List<?>) tab.page().evaluate(FIND, rules)).as(what).isEmpty();
  }

  private static String read() {
    try (InputStream in =
        Objects.requireNonNull(
            Accessibility.class.getClassLoader().getResourceAsStream("axe.min.js"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
