package dev.muster.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each reading of a feed goes along its index, in order, and stops where its page is full. The
 * short form; the full one is {@code dev.muster.bench.FeedPlansBench}.
 */
@Slow
class FeedPlansTest {

  /** A page has a hundred rows; each may lie on a page of its own. */
  private static final long MOST_BLOCKS = 250;

  private static FeedPlans plans;

  @BeforeAll
  static void fillFeeds() {
    plans = new FeedPlans(new FeedPlans.Size(20_000, 200_000), TestDatabases.create());
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  void readsAlongTheIndexWithoutSorting(String mode) throws SQLException {
    for (FeedPlans.Reading reading : plans.readings()) {
      FeedPlans.Plan plan = plans.explain(reading, mode);
      String what = reading.name() + "\n" + plan.text();
      assertThat(plan.nodes())
          .as(what)
          .isSubsetOf("Limit", "Index Scan", "Index Only Scan", "Result");
      assertThat(plan.indexes()).as(what).isSubsetOf(reading.indexes());
      assertThat(plan.indexes()).as(what).isNotEmpty();
      assertThat(plan.blocks()).as(what).isLessThanOrEqualTo(MOST_BLOCKS);
    }
  }
}
