package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.platform.http.BodyBudget.Share;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The memory of all request bodies, and of those of one owner, is bounded (R0.7). */
class BodyBudgetTest {

  private static final int MIB = 1 << 20;
  private static final long HEAP = 640L * MIB;

  private final BodyBudget budget = new BodyBudget(HEAP);

  @Test
  void grantsAnOwnerItsShareAndNotMore() {
    Share first = open("a");
    first.resize(32 * MIB);

    assertRefused(open("a"), MIB, "share");
    open("b").resize(MIB);
  }

  @Test
  void reservesAPartForTheBeginningOfEveryBody() {
    List<Share> taken = new ArrayList<>();
    for (int owner = 0; owner < 2; owner++) {
      taken.add(open(owner));
      taken.getLast().resize(32 * MIB);
    }
    open("c").resize(16 * MIB);

    assertRefused(open("d"), 16 * MIB, "too many large requests");
    open("d").resize(BodyBudget.SMALL_BYTES);
    open("a").resize(BodyBudget.SMALL_BYTES);
  }

  /** People with one token have four owners at most, and a heartbeat has a body like others. */
  @Test
  void leavesHalfOfThatPartToOthersWhenOneTokenTakesItsShares() {
    for (int share = 0; share < Owner.SHARES_OF_A_TOKEN; share++) {
      Owner person = new Owner.OfPeople("token", share);
      int granted = 0;
      while (isGranted(person)) {
        granted++;
      }
      assertThat(granted).isPositive();
    }
    int ofOthers = 0;
    while (isGranted(new Owner.OfWorkspace(new UUID(0, ofOthers)))) {
      ofOthers++;
    }
    assertThat((long) ofOthers * BodyBudget.SMALL_BYTES).isEqualTo(budget.held() / 2);
  }

  private boolean isGranted(Owner owner) {
    try {
      budget.open(owner).resize(BodyBudget.SMALL_BYTES);
      return true;
    } catch (ProblemException full) {
      return false;
    }
  }

  @Test
  void countsAShareAfterItGrewAndShrank() {
    Share share = open("a");
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
    Share share = open("a");
    share.resize(20 * MIB);
    assertRefused(share, 40 * MIB, "share");
    share.release();
    assertThat(budget.held()).isZero();
  }

  private Share open(Object who) {
    return budget.open(new Owner.OfPeople(who, 0));
  }

  private static void assertRefused(Share share, long bytes, String why) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> share.resize(bytes))
        .withMessageContaining(why)
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE));
  }
}
