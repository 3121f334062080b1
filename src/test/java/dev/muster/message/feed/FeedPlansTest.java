package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import java.sql.SQLException;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each reading of a feed follows its index in order, and stops when its page is full, for each
 * class of rows that it merges. The short form; the full one is {@code
 * dev.muster.bench.FeedPlansBench}.
 */
@Slow
@Tag("sql")
class FeedPlansTest {

  /** Nodes that order, join and halve the results of index scans; none of them reads a table. */
  private static final Set<String> MAY_BE_THERE =
      Set.of(
          "Limit",
          "Index Scan",
          "Index Only Scan",
          "Result",
          "Sort",
          "Nested Loop",
          "Function Scan",
          "Subquery Scan",
          "Append",
          "Aggregate",
          "CTE Scan",
          "WorkTable Scan",
          "Recursive Union",
          "ModifyTable");

  private static final Set<String> BESIDE_ROWS =
      Set.of("activity_feeds_pkey", "workspaces_pkey", "delivery_outcomes_pkey", "deliveries_pkey");

  /** Pages of the index, from the root on, and of the table. */
  private static final long PAGES_OF_A_LOOK_UP = 4;

  private static final long ROWS_OF_AN_INDEX_PAGE = 100;

  /** The ranges of five classes, and the open deliveries. */
  private static final long MAX_RANGES = 6;

  private static final FeedPlans.Size SIZE = new FeedPlans.Size(20_000, 200_000);

  private static FeedPlans manyClasses;
  private static FeedPlans oneClass;

  @BeforeAll
  static void fillFeeds() {
    manyClasses = FeedPlans.ofManyClasses(SIZE, TestDatabases.create());
    oneClass = FeedPlans.ofOneClass(SIZE, TestDatabases.create());
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  void followsTheIndexAndReadsNoFurtherThanThePage(String mode) throws SQLException {
    checkAll(manyClasses, mode);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  void findsNothingOfAnotherClassAtOnceWhereAllRowsHaveOne(String mode) throws SQLException {
    checkAll(oneClass, mode);
  }

  private static void checkAll(FeedPlans plans, String mode) throws SQLException {
    for (FeedPlans.Reading reading : plans.readings()) {
      FeedPlans.Plan plan = plans.explain(reading, mode);
      String what = reading.name() + "\n" + plan.text();
      assertThat(MAY_BE_THERE).as(what).containsAll(plan.nodes());
      assertThat(plan.indexesOfFeeds()).as(what).isEqualTo(reading.indexes());
      assertThat(BESIDE_ROWS).as(what).containsAll(plan.otherIndexes());
      assertThat(plan.found()).as(what).isLessThanOrEqualTo(reading.most());
      assertThat(plan.blocks()).as(what).isLessThanOrEqualTo(mostBlocks(plan));
      if (!reading.passesRowsBy()) {
        assertThat(plan.passedBy()).as(what).isZero();
      }
    }
  }

  /** Each row may lie on a page of its own; each step of a binary search is a look-up. */
  private static long mostBlocks(FeedPlans.Plan plan) {
    long lookUps = plan.lookUps() + MAX_RANGES;
    return plan.nodes().contains("Recursive Union")
        ? PAGES_OF_A_LOOK_UP * (lookUps + plan.found())
        : PAGES_OF_A_LOOK_UP * lookUps + plan.found() + plan.found() / ROWS_OF_AN_INDEX_PAGE;
  }
}
