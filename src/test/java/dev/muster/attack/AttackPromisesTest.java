package dev.muster.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each attack alone, on one server with the default settings, until its promises show: requests of
 * others succeed, the bound holds, the log does not grow. Latencies have no bound here, since other
 * tests run beside it: {@link AttackTest} bounds them.
 */
@Slow
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class AttackPromisesTest {

  private static final Duration WARM_UP = Duration.ofSeconds(2);
  private static final Duration SETTLING = Duration.ofMillis(500);
  private static final Duration TIME = Duration.ofMillis(1500);

  private @Nullable AttackedServer server;
  private AttackRunner runner;
  private Experience calm;

  @BeforeAll
  void start() throws Exception {
    AttackedServer started = AttackedServer.start();
    server = started;
    runner = new AttackRunner(started);
    calm = runner.calm(WARM_UP);
  }

  @AfterAll
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  static List<Attack> attacks() {
    return Attacks.all();
  }

  @ParameterizedTest
  @MethodSource("attacks")
  void breaksNoPromise(Attack attack) throws Exception {
    AttackResult result = runner.run(attack, SETTLING, TIME, calm);

    assertThat(result.brokenPromises()).as(result.tableRow()).isEmpty();
  }
}
