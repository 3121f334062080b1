package dev.muster.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.json.RawJson;
import dev.muster.protocol.MessageContent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.support.TransactionTemplate;

/** A feed that is never free: larger transactions wait in line for it without a pause. */
@Timeout(60)
class ContendedFeedTest {

  private static final int HOLDERS = 4;
  private static final int ROWS = 20;
  private static final long HELD_FOR_NANOS = Duration.ofMillis(5).toNanos();

  @Test
  void takesRowsThatShareTheirCommitsToo() throws Exception {
    TestServer server = TestServer.shared();
    Feeds feeds = server.bean(Feeds.class);
    TransactionTemplate transactions = server.bean(TransactionTemplate.class);
    TestFeed feed = TestFeed.create("Contended");
    NewActivity row =
        NewActivity.inbound(
            feed.id(), null, "tasks/get", "again", new RawJson("{}"), MessageContent.EMPTY, null);
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> holders = new ArrayList<>();
      for (int i = 0; i < HOLDERS; i++) {
        holders.add(
            threads.submit(() -> {
              while (!over.get()) {
                transactions.executeWithoutResult(status -> {
                  feeds.appendAll(List.of(row));
                  LockSupport.parkNanos(HELD_FOR_NANOS);
                });
              }
            }));
      }
      try {
        for (int i = 0; i < ROWS; i++) {
          assertThat(feeds.append(row)).isInstanceOf(Appended.Stored.class);
        }
      } finally {
        over.set(true);
      }
      for (Future<?> holder : holders) {
        holder.get();
      }
    }
  }
}
