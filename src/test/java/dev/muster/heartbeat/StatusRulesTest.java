package dev.muster.heartbeat;

import static dev.muster.workspace.DegradedReason.ERROR_RATE;
import static dev.muster.workspace.DegradedReason.RUNTIME_WEDGED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.heartbeat.StatusRules.ErrorRateThresholds;
import dev.muster.heartbeat.StatusRules.HealthSignals;
import dev.muster.heartbeat.StatusRules.StatusDecision;
import dev.muster.heartbeat.StatusRules.StatusDecision.Degraded;
import dev.muster.heartbeat.StatusRules.StatusDecision.Online;
import dev.muster.heartbeat.StatusRules.StatusDecision.OtherReason;
import dev.muster.heartbeat.StatusRules.StatusDecision.Unchanged;
import dev.muster.platform.text.OptionalField;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The complete truth table of R4.2: every status, reason, wedge, native status and edge of the
 * error rate.
 */
class StatusRulesTest {

  private static final StatusRules RULES = new StatusRules(ErrorRateThresholds.DEFAULT);
  private static final double[] RATES = {0, 0.0999, 0.1, 0.4999, 0.5, 1};

  /**
   * The transition of a heartbeat, by the row of its health signals and the column of the status
   * before. A dot is no transition, D:w and D:e degrade for the wedge or the error rate, on brings
   * online, r:w and r:e change the reason alone.
   */
  private static final String TABLE =
      """
      wedged native rate    | closed online others degraded:w degraded:e
      yes    yes    0       | .      D:w    D:w    .          r:w
      yes    yes    0.0999  | .      D:w    D:w    .          r:w
      yes    yes    0.1     | .      D:w    D:w    .          r:w
      yes    yes    0.4999  | .      D:w    D:w    .          r:w
      yes    yes    0.5     | .      D:w    D:w    .          r:w
      yes    yes    1       | .      D:w    D:w    .          r:w
      yes    no     0       | .      D:w    D:w    .          r:w
      yes    no     0.0999  | .      D:w    D:w    .          r:w
      yes    no     0.1     | .      D:w    D:w    .          r:w
      yes    no     0.4999  | .      D:w    D:w    .          r:w
      yes    no     0.5     | .      D:w    D:w    .          r:w
      yes    no     1       | .      D:w    D:w    .          r:w
      no     yes    0       | .      .      on     on         on
      no     yes    0.0999  | .      .      on     on         on
      no     yes    0.1     | .      .      on     on         on
      no     yes    0.4999  | .      .      on     on         on
      no     yes    0.5     | .      .      on     on         on
      no     yes    1       | .      .      on     on         on
      no     no     0       | .      .      on     on         on
      no     no     0.0999  | .      .      on     on         on
      no     no     0.1     | .      .      on     on         .
      no     no     0.4999  | .      .      on     on         .
      no     no     0.5     | .      D:e    D:e    r:e        .
      no     no     1       | .      D:e    D:e    r:e        .
      """;

  record Case(
      WorkspaceStatus status,
      @Nullable DegradedReason reason,
      HealthSignals signals,
      String expected) {}

  static Stream<Case> cases() {
    return TABLE.lines().skip(1).flatMap(StatusRulesTest::casesOf);
  }

  private static Stream<Case> casesOf(String line) {
    String[] words = line.replace("|", " ").trim().split("\\s+", -1);
    HealthSignals signals =
        new HealthSignals(
            words[0].equals("yes"), Double.parseDouble(words[2]), words[1].equals("yes"));
    List<Case> cases = new ArrayList<>();
    for (WorkspaceStatus status : WorkspaceStatus.values()) {
      switch (status) {
        case PAUSED, REMOVED -> cases.add(new Case(status, null, signals, words[3]));
        case ONLINE -> cases.add(new Case(status, null, signals, words[4]));
        case DEGRADED -> {
          cases.add(new Case(status, RUNTIME_WEDGED, signals, words[6]));
          cases.add(new Case(status, ERROR_RATE, signals, words[7]));
        }
        default -> cases.add(new Case(status, null, signals, words[5]));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void decidesAsTheTableRequires(Case given) {
    StatusDecision expected =
        switch (given.expected()) {
          case "." -> new Unchanged();
          case "D:w" -> new Degraded(RUNTIME_WEDGED);
          case "D:e" -> new Degraded(ERROR_RATE);
          case "r:w" -> new OtherReason(RUNTIME_WEDGED);
          case "r:e" -> new OtherReason(ERROR_RATE);
          case "on" -> new Online(given.status());
          default -> throw new AssertionError(given.expected());
        };
    assertThat(RULES.evaluate(given.status(), given.reason(), given.signals())).isEqualTo(expected);
  }

  @Test
  void coversAllHealthSignalsOnce() {
    assertThat(TABLE.lines().skip(1)).hasSize(2 * 2 * RATES.length).doesNotHaveDuplicates();
  }

  /**
   * One statement stores a batch of steady heartbeats without the rules, so the rules must not
   * change the status for any of them.
   */
  @Test
  void doesNotChangeAnOnlineWorkspaceForSteadyHeartbeats() {
    for (boolean nativeStatus : new boolean[] {false, true}) {
      for (@Nullable Double said :
          Stream.concat(Arrays.stream(RATES).boxed(), Stream.of((Double) null)).toList()) {
        for (double stored : RATES) {
          Heartbeat heartbeat = heartbeat(said, "healthy");
          double merged = said == null ? stored : said;
          if (RULES.isSteady(heartbeat) && merged < RULES.thresholds().degradeAt()) {
            assertThat(
                    RULES.evaluate(
                        WorkspaceStatus.ONLINE,
                        null,
                        new HealthSignals(false, merged, nativeStatus)))
                .isEqualTo(new Unchanged());
          }
        }
      }
    }
    assertThat(RULES.isSteady(heartbeat(null, "wedged"))).isFalse();
    assertThat(RULES.isSteady(heartbeat(0.5, ""))).isFalse();
    assertThat(RULES.isSteady(heartbeat(0.4999, ""))).isTrue();
  }

  private static Heartbeat heartbeat(@Nullable Double errorRate, String runtimeState) {
    return new Heartbeat(
        new UUID(1, 1),
        errorRate,
        "",
        null,
        null,
        null,
        runtimeState,
        new OptionalField.Absent<>(),
        false,
        new OptionalField.Absent<>(),
        null,
        List.of());
  }
}
