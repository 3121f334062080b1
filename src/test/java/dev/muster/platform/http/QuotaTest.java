package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.muster.platform.http.Quota.Grant;
import dev.muster.testing.Race;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuotaTest {

  private final Quota quota = new Quota(10, 4);

  @Test
  void grantsAnOwnerItsShareAndNoMore() {
    assertThat(quota.take("a", 4)).isEqualTo(Grant.GRANTED);
    assertThat(quota.take("a", 1)).isEqualTo(Grant.OWNER_FULL);
    assertThat(quota.take("b", 4)).isEqualTo(Grant.GRANTED);
    assertThat(quota.heldBy("a")).isEqualTo(4);
    assertThat(quota.held()).isEqualTo(8);
  }

  @Test
  void refusesAnAmountBeyondTheTotalWithoutTakingAny() {
    quota.take("a", 4);
    quota.take("b", 4);
    assertThat(quota.take("c", 3)).isEqualTo(Grant.FULL);
    assertThat(quota.heldBy("c")).isZero();
    assertThat(quota.take("c", 2)).isEqualTo(Grant.GRANTED);
  }

  @Test
  void grantsReleasedAmountsAgain() {
    quota.take("a", 4);
    quota.release("a", 1);
    assertThat(quota.take("a", 2)).isEqualTo(Grant.OWNER_FULL);
    assertThat(quota.take("a", 1)).isEqualTo(Grant.GRANTED);
    quota.release("a", 4);
    assertThat(quota.held()).isZero();
  }

  @Test
  void detectsADoubleRelease() {
    quota.take("a", 2);
    quota.release("a", 2);
    assertThatIllegalStateException().isThrownBy(() -> quota.release("a", 2));
    assertThat(quota.held()).isZero();
  }

  @Test
  void refusesInvalidLimitsAndAmounts() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Quota(0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new Quota(1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> quota.take("a", -1));
  }

  @Test
  void neverExceedsItsLimitsWithManyThreads() {
    var most = new AtomicLong();
    List<Integer> granted =
        Race.run(
            8,
            n -> {
              String owner = "owner-" + n % 4;
              int times = 0;
              // longer without a grant: another thread may be paused while it holds everything
              for (int i = 0; i < 20_000 || (times == 0 && i < 20_000_000); i++) {
                int amount = 1 + i % 3;
                if (quota.take(owner, amount) == Grant.GRANTED) {
                  times++;
                  most.accumulateAndGet(quota.heldBy(owner), Math::max);
                  Thread.onSpinWait();
                  quota.release(owner, amount);
                }
              }
              return times;
            });
    assertThat(granted).allMatch(times -> times > 0);
    assertThat(most.get()).isBetween(1L, 4L);
    assertThat(quota.held()).isZero();
  }
}
