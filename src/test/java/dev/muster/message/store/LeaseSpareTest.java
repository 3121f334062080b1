package dev.muster.message.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.Pace;
import dev.muster.platform.work.ReplicaName;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** No delivery begins shortly before the end of a lease (R7.3), by a given clock. */
class LeaseSpareTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Duration LEASE = LeaseTimes.at(Pace.REAL).lease();

  @Test
  void isNotAliveWithLessThanFiveSecondsLeft() {
    AtomicLong now = new AtomicLong(7);
    BackgroundLoops loops = new BackgroundLoops(InstantSource.system());
    ReplicaLease lease =
        new ReplicaLease(
            SERVER.bean(JdbcClient.class),
            SERVER.bean(ReplicaName.class),
            new LeaseTimes(
                LEASE,
                Duration.ofHours(1), // it is not renewed meanwhile
                LeaseTimes.at(Pace.REAL).spare(),
                Duration.ofHours(1),
                Duration.ofHours(1)),
            now::get,
            loops);
    try {
      // the loop renews the lease once at its start
      Awaitility.await().until(() -> loops.states().getFirst().runs() == 1);
      now.addAndGet(LEASE.minusMillis(5_100).toNanos());
      assertThat(lease.isAlive()).isTrue();
      now.addAndGet(Duration.ofMillis(200).toNanos());
      assertThat(lease.isAlive()).isFalse();
    } finally {
      lease.close();
    }
  }
}
