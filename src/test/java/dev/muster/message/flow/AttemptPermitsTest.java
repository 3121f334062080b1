package dev.muster.message.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.flow.AttemptPermits.Permit;
import dev.muster.message.flow.QueuedAttempts.Reaction;
import dev.muster.platform.work.Pace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which attempts of the queue may begin while others hang (R7.14). */
@Timeout(30)
class AttemptPermitsTest {

  /** Attempts are long after 10 ms. */
  private static final Pace FAST = new Pace(100);

  /** With so much memory 1,000 attempts may run at once, 744 of them long ones. */
  private static final long HEAP = 8L << 30;

  private final AttemptPermits permits = new AttemptPermits(new DeliverySlots(HEAP), FAST);
  private final Map<UUID, List<Permit>> running = new HashMap<>();

  /** Begins as many attempts of each target as it may have, up to {@code wanted}. */
  private void claim(List<UUID> targets, int wanted) {
    for (UUID target : targets) {
      List<Permit> own = running.computeIfAbsent(target, _ -> new ArrayList<>());
      int most = Math.min(wanted, permits.limitOf(target)) - own.size();
      for (int n = Math.min(most, permits.free()); n > 0; n--) {
        own.add(permits.begin(target));
      }
    }
  }

  private static List<UUID> targets(int number) {
    return IntStream.range(0, number).mapToObj(_ -> UUID.randomUUID()).toList();
  }

  /** Whatever they have queued. */
  @Test
  void threeHundredHungTargetsLeavePermitsForOthers() {
    List<UUID> hung = targets(300);
    await()
        .until(() -> {
          claim(hung, 32);
          return running.values().stream().noneMatch(List::isEmpty);
        });

    await().until(() -> permits.free() > 200);

    assertThat(permits.limitOf(UUID.randomUUID())).isPositive();
  }

  @Test
  void aTargetThatDidNotAnswerInTimeTakesNoPermitOfNewAttempts() {
    List<UUID> hung = targets(300);
    for (UUID target : hung) {
      permits.begin(target).release(Reaction.TIMED_OUT);
    }
    int free = permits.free();

    claim(hung, 32);

    assertThat(running.values()).allMatch(own -> own.size() == 1);
    assertThat(permits.free()).isEqualTo(free);
  }

  @Test
  void aTargetThatAnswersMayHaveAllItsSlots() {
    UUID target = UUID.randomUUID();
    permits.begin(target).release(Reaction.TIMED_OUT);
    assertThat(permits.limitOf(target)).isEqualTo(1);

    permits.begin(target).release(Reaction.IN_TIME);
    permits.begin(target).release(Reaction.NOT_CALLED);

    assertThat(permits.limitOf(target)).isEqualTo(AttemptPermits.MAX_CONCURRENT_OF_A_TARGET);
  }

  /** With this memory 256 attempts may run at once, fewer than there are targets that hang. */
  @Test
  void moreHungTargetsThanPermitsLeaveSomeForThoseThatAnswer() {
    AttemptPermits few = new AttemptPermits(new DeliverySlots(1L << 30), FAST);
    UUID answering = UUID.randomUUID();
    few.begin(answering).release(Reaction.IN_TIME);
    List<UUID> hung = targets(300);
    await()
        .until(() -> {
          hung.stream().limit(few.freeForOthers()).forEach(few::begin);
          return few.limitOf(answering) == 1;
        });

    assertThat(few.freeForOthers()).isZero();
    assertThat(few.free()).isEqualTo(32);
    assertThat(few.hasAnswered(answering)).isTrue();
    assertThat(few.hasAnswered(hung.getFirst())).isFalse();
  }

  /** Slow agents that answer use up all permits for long attempts. */
  @Test
  void withoutPermitsForLongAttemptsEachTargetHasOne() {
    List<UUID> slow = targets(30);
    for (UUID target : slow) {
      permits.begin(target).release(Reaction.IN_TIME);
    }
    await()
        .until(() -> {
          claim(slow, 32);
          return permits.limitOf(slow.getFirst()) == 1;
        });

    assertThat(permits.limitOf(UUID.randomUUID())).isEqualTo(1);
    running.values().forEach(own -> own.forEach(one -> one.release(Reaction.IN_TIME)));

    assertThat(permits.free()).isEqualTo(AttemptPermits.MAX_CONCURRENT);
    assertThat(permits.limitOf(slow.getFirst()))
        .isEqualTo(AttemptPermits.MAX_CONCURRENT_OF_A_TARGET);
  }
}
