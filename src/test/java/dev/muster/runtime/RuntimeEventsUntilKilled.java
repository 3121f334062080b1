package dev.muster.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.Rounds;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.WorkUntilKilled;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Posts batches of two events one after another: accepted batches are stored, in order. */
public final class RuntimeEventsUntilKilled implements WorkUntilKilled {

  private static final int ENOUGH = Rounds.of(25, 50);

  private final Agent agent;
  private final AtomicInteger accepted = new AtomicInteger();
  private int before;

  public RuntimeEventsUntilKilled(TestClient first) {
    agent = first.create("talking");
  }

  @Override
  public List<Runnable> actions(TestClient server) {
    TestStream stream = new TestStream(server, agent);
    before = accepted.get();
    return List.of(() -> post(stream));
  }

  private void post(TestStream stream) {
    int i = accepted.get();
    String batch =
        TestStream.envelopes(new RuntimeStdout("t", i + "a "), new RuntimeStdout("t", i + "b "));
    assertThat(stream.post(batch).status()).isEqualTo(202);
    accepted.incrementAndGet();
  }

  @Override
  public boolean isEnough() {
    return accepted.get() >= before + ENOUGH;
  }

  @Override
  public void requireKept(TestClient server) {
    if (accepted.get() == 0) {
      return;
    }
    TestStream stream = new TestStream(server, agent);
    String kept = TestStream.chunksOf(stream.replayAll(1000));
    StringBuilder said = new StringBuilder();
    int there = kept.split("b ", -1).length - 1;
    for (int i = 0; i < there; i++) {
      said.append(i).append("a ").append(i).append("b ");
    }
    assertThat(kept).isEqualTo(said.toString());
    // the last one may have been stored without an answer
    assertThat(there).isBetween(accepted.get(), accepted.get() + 1);
    assertThat(stream.run().path("stdout").asString()).isEqualTo(kept);
    accepted.set(there);
  }
}
