package dev.muster.message.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The retry budget of a target (R7.10). */
class TargetRetryBudgetTest {

  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong nanos =
      new AtomicLong(Long.MAX_VALUE - SECOND); // near the maximum, so that it overflows
  private final TargetRetryBudget budget = new TargetRetryBudget(nanos::get);

  private void sends(String target, int count) {
    for (int i = 0; i < count; i++) {
      budget.sent(target);
    }
  }

  private int retries(String target, int asked) {
    int granted = 0;
    for (int i = 0; i < asked; i++) {
      granted += budget.mayRetry(target) ? 1 : 0;
    }
    return granted;
  }

  @Test
  void grantsTenASecondToATargetWithLittleLoad() {
    sends("a", 1);
    assertThat(retries("a", 50)).isEqualTo(10);
    nanos.addAndGet(SECOND - 1);
    assertThat(retries("a", 50)).isZero();
    nanos.addAndGet(1);
    assertThat(retries("a", 50)).isEqualTo(10);
  }

  @Test
  void grantsAFifthToATargetWithMuch() {
    sends("a", 1_000);
    assertThat(retries("a", 1_000)).isEqualTo(200);
    nanos.addAndGet(SECOND);
    assertThat(retries("a", 1_000))
        .isEqualTo(10); // a fifth of the load, without the minimum in addition
    sends("a", 1_000);
    assertThat(retries("a", 1_000)).isEqualTo(190);
  }

  @Test
  void forgetsTheLoadOfTenSecondsAgo() {
    sends("a", 1_000);
    nanos.addAndGet(9 * SECOND);
    assertThat(retries("a", 50)).isEqualTo(50);
    nanos.addAndGet(SECOND);
    assertThat(retries("a", 50)).isEqualTo(10);
    nanos.addAndGet(30 * SECOND);
    assertThat(retries("a", 50)).isEqualTo(10);
  }

  @Test
  void countsTargetsSeparately() {
    assertThat(retries("a", 50)).isEqualTo(10);
    assertThat(retries("b", 50)).isEqualTo(10);
  }

  @Test
  void isExactWithManyThreads() {
    sends("a", 1_000);
    int granted = Race.run(16, _ -> retries("a", 100)).stream().mapToInt(Integer::intValue).sum();
    assertThat(granted).isEqualTo(200);
  }
}
