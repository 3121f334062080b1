package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.platform.http.BodyBudget.Share;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The memory of all request bodies, and of those of one owner, is bounded (R0.7). */
class BodyBudgetTest {

  private static final int MIB = 1 << 20;
  private static final long HEAP = 640L * MIB;

  private final BodyBudget budget = new BodyBudget(HEAP);

  @Test
  void grantsAnOwnerItsShareAndNotMore() {
    Share first = budget.open("a");
    first.resize(32 * MIB);

    assertRefused(budget.open("a"), MIB, "share");
    budget.open("b").resize(MIB);
  }

  @Test
  void reservesAPartForTheBeginningOfEveryBody() {
    List<Share> taken = new ArrayList<>();
    for (int owner = 0; owner < 2; owner++) {
      taken.add(budget.open(owner));
      taken.getLast().resize(32 * MIB);
    }
    budget.open("c").resize(16 * MIB);

    assertRefused(budget.open("d"), 16 * MIB, "too many large requests");
    budget.open("d").resize(BodyBudget.SMALL_BYTES);
    budget.open("a").resize(BodyBudget.SMALL_BYTES);
  }

  @Test
  void countsAShareAfterItGrewAndShrank() {
    Share share = budget.open("a");
    share.resize(100);
    share.resize(3 * MIB);
    assertThat(budget.held()).isEqualTo(3 * MIB);
    share.resize(5 * MIB);
    assertThat(budget.held()).isEqualTo(5 * MIB);
    share.resize(MIB);
    assertThat(budget.held()).isEqualTo(MIB);
    share.resize(100);
    assertThat(budget.held()).isEqualTo(100);
    share.release();
    share.release();
    assertThat(budget.held()).isZero();
  }

  @Test
  void keepsItsBytesAfterARefusal() {
    Share share = budget.open("a");
    share.resize(20 * MIB);
    assertRefused(share, 40 * MIB, "share");
    share.release();
    assertThat(budget.held()).isZero();
  }

  private static void assertRefused(Share share, long bytes, String why) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> share.resize(bytes))
        .withMessageContaining(why)
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE));
  }
}
