package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What table, tree and map do while much changes does not grow with the rows. What they sort, draw
 * and keep is counted. The times that are printed are the benchmark: {@code mvn test
 * -Dtest=ConsolePaceTest -Dpace.rows=100000 -Dpace.seconds=60}.
 */
@InBrowser
class ConsolePaceTest {

  private static final int ROWS = Integer.getInteger("pace.rows", 20_000);
  private static final int SECONDS = Integer.getInteger("pace.seconds", 2);
  private static final int PER_SECOND = Integer.getInteger("pace.per-second", 1_000);

  private static final String MEASURE =
      "async size => (await import('/test/pace.js')).measure(size)";

  @ParameterizedTest
  @ValueSource(strings = {"table", "tree", "map"})
  void keepsItsPaceWhileAThousandChangeEachSecond(String view, Tab tab) {
    UnitPage.open(tab);
    Map<?, ?> figures =
        (Map<?, ?>)
            tab.page()
                .evaluate(
                    MEASURE,
                    Map.of(
                        "rows", ROWS, "seconds", SECONDS, "perSecond", PER_SECOND, "view", view));
    System.out.printf("The %s of %,d rows, %,d changes/s: %s%n", view, ROWS, PER_SECOND, figures);
    // each row has at most one of these events, and one of three degrades it
    assertThat(number(figures, "degraded")).isGreaterThan(number(figures, "events") / 4);
    assertThat(number(figures, "nodes")).isLessThan(3_000);
    assertThat(number(figures, "sorted_each_event")).isLessThan(2);
    assertThat(number(figures, "changes_each_frame")).isLessThan(100);
    assertThat(number(figures, "heap_mb")).isLessThan(60);
  }

  private static double number(Map<?, ?> figures, String name) {
    return ((Number) Objects.requireNonNull(figures.get(name))).doubleValue();
  }
}
