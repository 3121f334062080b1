package dev.muster.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The attacks on one server with the default settings, and how long heartbeats of others take
 * meanwhile. In {@code mvn verify} all run together, and a heartbeat may take the 5 s of R0.6. Less
 * than that is a figure of the machine: the nightly run bounds it, for each attack and for all.
 */
@Tag("latency")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(300)
class AttackTest {

  private static final Duration WARM_UP = Duration.ofSeconds(Rounds.areFull() ? 5 : 2);
  private static final Duration CALM = Duration.ofSeconds(5);
  private static final Duration ALONE = Duration.ofSeconds(6);

  /**
   * In the nightly run 1,600 heartbeats: one full garbage collection, which delays about ten of
   * them by half a second, does not decide, and a pause of a second still fails.
   */
  private static final Duration TOGETHER = Duration.ofSeconds(Rounds.areFull() ? 40 : 15);

  private @Nullable AttackedServer server;
  private AttackRunner runner;
  private Experience calm;

  @BeforeAll
  void start() throws Exception {
    AttackedServer started = AttackedServer.start();
    server = started;
    runner = new AttackRunner(started);
    Experience first = runner.calm(WARM_UP);
    calm = Rounds.areFull() ? runner.calm(CALM) : first;
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

  /**
   * Has not the tags of {@link dev.muster.testing.Nightly}: that of slow tests has others beside
   * it.
   */
  @Order(1)
  @Tag("nightly")
  @ParameterizedTest
  @MethodSource("attacks")
  void doesNotAffectOtherWorkspaces(Attack attack) throws Exception {
    AttackResult result = runner.run(attack, AttackRunner.SETTLING, ALONE, calm);

    assertThat(result.faults(AttackResult.FLOOR)).as(result.tableRow()).isEmpty();
  }

  /** Runs when the JVM has compiled the hot paths. */
  @Order(2)
  @Test
  void doNotAffectOtherWorkspacesTogether() throws Exception {
    AttackResult result = runner.runTogether(Attacks.all(), TOGETHER, runner.calm(CALM));
    System.out.println(result.tableRow());

    assertThat(result.faults(Rounds.areFull() ? AttackResult.FLOOR : AttackResult.ANSWERED))
        .as(result.tableRow())
        .isEmpty();
  }
}
