package dev.muster.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.quota.Owner;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** Reads of past events for one owner leave others theirs. */
@Timeout(60)
class PastReadsTest {

  /** As many streams as one workspace may have. */
  private static final int STREAMS = 50;

  private static final int SHARE = 2;
  private static final long HEAD = 1_000;

  /** A database with old events, whose reads last until the test ends them. */
  private static final class SlowRepository extends EventRepository {

    private final AtomicInteger reads = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);

    SlowRepository() {
      super(JdbcClient.create(new JdbcTemplate()), JsonMapper.shared());
    }

    @Override
    long lastSeq() {
      return HEAD;
    }

    @Override
    List<RecordedEvent> after(
        long seq, Optional<UUID> workspaceId, Optional<String> type, int limit, int maxBytes) {
      reads.incrementAndGet();
      try {
        end.await();
        return List.of();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private final SlowRepository repository = new SlowRepository();
  private final EventLog log = new EventLog(repository, List.of(), new SimpleMeterRegistry());
  private final Owner greedy = new Owner.OfWorkspace(UUID.randomUUID());
  private final Owner modest = new Owner.OfWorkspace(UUID.randomUUID());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<CompletableFuture<?>> started = new ArrayList<>();

  @AfterEach
  void endReads() {
    repository.end.countDown();
    threads.close();
  }

  /** Starts a read; returns when it has reached the database or waits for its turn. */
  private void start(Supplier<?> read) {
    CompletableFuture<Thread> reader = new CompletableFuture<>();
    started.add(
        CompletableFuture.supplyAsync(
            () -> {
              reader.complete(Thread.currentThread());
              return read.get();
            },
            threads));
    Thread thread = reader.join();
    await().until(() -> thread.getState() == Thread.State.WAITING);
  }

  @Test
  void leaveThoseOfOthersTheirTurns() throws Exception {
    for (int n = 0; n < STREAMS; n += 2) {
      start(() -> log.after(greedy, 0));
      start(() -> log.pastOf(greedy, UUID.randomUUID(), 0));
    }
    assertThat(repository.reads).hasValue(SHARE);

    start(() -> log.pastOf(modest, UUID.randomUUID(), 0));
    start(() -> log.after(Owner.SERVER, 0));

    assertThat(repository.reads).as("of another stream, and of the webhook").hasValue(SHARE + 2);
    repository.end.countDown();
    for (CompletableFuture<?> read : started) {
      assertThat(read.get(30, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void areNoneOfEventsInMemory() {
    start(() -> log.after(greedy, 0));

    assertThat(log.after(greedy, HEAD)).isEmpty();
    assertThat(repository.reads).hasValue(1);
  }
}
