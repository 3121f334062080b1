package dev.muster.a2a.queue;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Delivers for the servers of a test, all of which run in this JVM, as the test wants it. There is
 * one for all tests, so those that use it name it as a {@code @ResourceLock}.
 */
final class Postman {

  static final String ONLY_ONE = "postman";

  /** What to do with a message; it may end it with {@code queue}. */
  interface Visit {
    Attempt of(Claimed claimed, Ends ends) throws Exception;
  }

  /** Ends messages as whoever delivers does, with the visit to the target behind them. */
  record Ends(MessageQueue queue, TransactionTemplate transactions, Runnable leave) {

    Attempt as(Claimed claimed, EndState state, @Nullable String error) {
      leave.run();
      QueueEnd end = new QueueEnd(claimed.message().queueId(), claimed.owner(), state, error);
      Set<UUID> ended = transactions.execute(status -> queue.endAll(List.of(end)));
      if (!ended.contains(end.queueId())) {
        NOT_OURS.add(end.queueId());
      }
      return new Attempt.Ended();
    }
  }

  static final Visit DELIVER = (claimed, ends) -> ends.as(claimed, EndState.DELIVERED, null);

  /** In the order of their begin. */
  static final List<UUID> VISITED = new CopyOnWriteArrayList<>();

  static final List<EndedUnsent> UNSENT = new CopyOnWriteArrayList<>();
  static final Set<UUID> NOT_OURS = ConcurrentHashMap.newKeySet();
  static final AtomicInteger UNDER_WAY = new AtomicInteger();
  static final AtomicInteger MOST_UNDER_WAY = new AtomicInteger();
  static volatile Visit visit = DELIVER;
  static volatile Consumer<List<EndedUnsent>> whenUnsent = rows -> {};

  static void reset() {
    VISITED.clear();
    UNSENT.clear();
    NOT_OURS.clear();
    MOST_UNDER_WAY.set(0);
    visit = DELIVER;
    whenUnsent = rows -> {};
  }

  static int visitsTo(UUID queueId) {
    return (int) VISITED.stream().filter(queueId::equals).count();
  }

  @Bean
  @Primary
  QueuedDelivery deliveryByPostman(MessageQueue queue, TransactionTemplate transactions) {
    return new QueuedDelivery() {
      @Override
      public Attempt attempt(Claimed claimed) {
        VISITED.add(claimed.message().queueId());
        MOST_UNDER_WAY.accumulateAndGet(UNDER_WAY.incrementAndGet(), Math::max);
        AtomicBoolean there = new AtomicBoolean(true);
        try {
          return visit.of(claimed, new Ends(queue, transactions, () -> leave(there)));
        } catch (RuntimeException e) {
          throw e;
        } catch (Exception e) {
          throw new IllegalStateException(e);
        } finally {
          leave(there);
        }
      }

      private void leave(AtomicBoolean there) {
        if (there.getAndSet(false)) {
          UNDER_WAY.decrementAndGet();
        }
      }

      @Override
      public void ended(List<EndedUnsent> rows) {
        whenUnsent.accept(rows);
        UNSENT.addAll(rows);
      }
    };
  }
}
