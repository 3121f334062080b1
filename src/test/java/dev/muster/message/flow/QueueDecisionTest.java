package dev.muster.message.flow;

import static dev.muster.message.store.DeliveryOutcome.OutcomeState.ANSWERED;
import static dev.muster.message.store.DeliveryOutcome.OutcomeState.REFUSED;
import static dev.muster.message.store.DeliveryOutcome.OutcomeState.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.flow.QueueDecision.AfterCall;
import dev.muster.message.flow.QueueDecision.BeforeCall;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.QueueState;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.A2aResult.SendEndReason;
import dev.muster.protocol.client.A2aResult.SendStats;
import dev.muster.protocol.client.FailureKind;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is decided about messages of the queue (R7.7, R7.16). */
class QueueDecisionTest {

  private static final AfterCall AGAIN = new AfterCall.Again();
  private static final AfterCall DELIVERED = new AfterCall.End(QueueState.DELIVERED);
  private static final AfterCall FAILED = new AfterCall.End(QueueState.FAILED);

  private static final SendStats STATS = new SendStats("agent", 1, 1, 1, Duration.ZERO);
  private static final byte[] NOTHING = {};

  private static final A2aResult ANSWER =
      new A2aResult.Answer(200, "application/json", NOTHING, Map.of(), STATS);
  private static final A2aResult RPC_ERROR =
      new A2aResult.RpcError(200, "application/json", NOTHING, -32603, "", Map.of(), STATS);
  private static final A2aResult NO_JSON = new A2aResult.Malformed(200, "no JSON", STATS);
  private static final A2aResult NO_HTTP = new A2aResult.Malformed(0, "no HTTP", STATS);
  private static final A2aResult OUT_OF_TIME =
      new A2aResult.OutOfTime(FailureKind.READ_TIMEOUT, STATS);

  private static A2aResult status(int status) {
    return new A2aResult.HttpError(status, NOTHING, "", Optional.empty(), Map.of(), STATS);
  }

  private static A2aResult unreachable(FailureKind last) {
    return new A2aResult.Unreachable(last, "", SendEndReason.NOT_RETRYABLE, STATS);
  }

  private static DeliveryTarget target(DeliveryMode mode, WorkspaceStatus status) {
    return new DeliveryTarget(
        new UUID(0, 1), "a", mode, "http://a.test/", status, 0, 1, null, null, 1, 1);
  }

  private static AfterCall after(
      Kind kind, @Nullable Integer lastStatus, A2aResult result, OutcomeState state) {
    return QueueDecision.afterCall(kind, lastStatus, result, state, true);
  }

  @ParameterizedTest
  @EnumSource
  void isSentToAPushAgentThatIsAlive(WorkspaceStatus status) {
    Set<WorkspaceStatus> alive = EnumSet.of(WorkspaceStatus.ONLINE, WorkspaceStatus.DEGRADED);
    Optional<Duration> left = Optional.of(Duration.ofSeconds(1));
    assertThat(QueueDecision.beforeCall(target(DeliveryMode.PUSH, status), left))
        .isEqualTo(alive.contains(status) ? BeforeCall.SEND : BeforeCall.AWAIT);
    assertThat(QueueDecision.beforeCall(target(DeliveryMode.POLL, status), left))
        .isEqualTo(BeforeCall.TO_FEED);
  }

  @Test
  void waitsForAPushAgentWithoutAUsableUrl() {
    DeliveryTarget target =
        new DeliveryTarget(
            new UUID(0, 1),
            "a",
            DeliveryMode.PUSH,
            " ",
            WorkspaceStatus.ONLINE,
            0,
            1,
            null,
            null,
            1,
            1);
    assertThat(QueueDecision.beforeCall(target, Optional.of(Duration.ofSeconds(1))))
        .isEqualTo(BeforeCall.AWAIT);
  }

  @ParameterizedTest
  @EnumSource
  void leavesTheQueueWithItsDelegation(DeliveryMode mode) {
    DeliveryTarget target = target(mode, WorkspaceStatus.ONLINE);
    assertThat(QueueDecision.beforeCall(target, Optional.empty())).isEqualTo(BeforeCall.NOT_WANTED);
    assertThat(QueueDecision.beforeCall(target, Optional.of(Duration.ZERO)))
        .isEqualTo(BeforeCall.TOO_LATE);
  }

  @ParameterizedTest
  @EnumSource
  void isSentAgainWhenTheAgentDidNotGetIt(Kind kind) {
    assertThat(after(kind, null, unreachable(FailureKind.CONNECT_TIMEOUT), REFUSED))
        .isEqualTo(AGAIN);
    assertThat(after(kind, 503, status(503), REFUSED)).isEqualTo(AGAIN);
  }

  @ParameterizedTest
  @EnumSource
  void isDeliveredByAnAnswer(Kind kind) {
    assertThat(after(kind, null, ANSWER, ANSWERED)).isEqualTo(DELIVERED);
  }

  @ParameterizedTest
  @EnumSource(names = "RESULT", mode = EnumSource.Mode.EXCLUDE)
  void endsWithAnErrorOfTheAgentButForAFirst500(Kind kind) {
    assertThat(after(kind, null, status(500), ANSWERED)).isEqualTo(AGAIN);
    assertThat(after(kind, 503, status(500), ANSWERED)).isEqualTo(AGAIN);
    assertThat(after(kind, 500, status(500), ANSWERED)).isEqualTo(FAILED);
    assertThat(after(kind, null, status(400), ANSWERED)).isEqualTo(FAILED);
    assertThat(after(kind, null, NO_JSON, ANSWERED)).isEqualTo(FAILED);
    assertThat(after(kind, null, NO_HTTP, ANSWERED)).isEqualTo(FAILED);
    assertThat(after(kind, null, RPC_ERROR, ANSWERED)).isEqualTo(DELIVERED);
  }

  @Test
  void sendsAResultUntilItsAgentHasShownThatItGotIt() {
    assertThat(after(Kind.RESULT, 500, status(500), ANSWERED)).isEqualTo(AGAIN);
    assertThat(after(Kind.RESULT, null, status(400), ANSWERED)).isEqualTo(AGAIN);
    assertThat(after(Kind.RESULT, null, NO_HTTP, ANSWERED)).isEqualTo(AGAIN);
    assertThat(after(Kind.RESULT, null, NO_JSON, ANSWERED)).isEqualTo(FAILED);
    assertThat(after(Kind.RESULT, null, RPC_ERROR, ANSWERED)).isEqualTo(FAILED);
  }

  @ParameterizedTest
  @EnumSource
  void isSentAgainWhenTheAgentMayHaveItOnlyIfThatIsAllowed(Kind kind) {
    A2aResult broken = unreachable(FailureKind.READ_ERROR);
    assertThat(after(kind, null, broken, UNCERTAIN)).isEqualTo(AGAIN);
    assertThat(QueueDecision.afterCall(kind, null, broken, UNCERTAIN, false)).isEqualTo(FAILED);
    assertThat(QueueDecision.afterLoss(true)).isEqualTo(AGAIN);
    assertThat(QueueDecision.afterLoss(false)).isEqualTo(FAILED);
  }

  @ParameterizedTest
  @EnumSource
  void isSentAgainWhenAGatewayHadNoAnswerOnlyIfThatIsAllowed(Kind kind) {
    for (int status : new int[] {502, 504}) {
      A2aResult gateway = status(status);
      assertThat(after(kind, null, gateway, UNCERTAIN)).isEqualTo(AGAIN);
      assertThat(QueueDecision.afterCall(kind, null, gateway, UNCERTAIN, false))
          .as("a result is sent until its agent has shown that it got it")
          .isEqualTo(kind == Kind.RESULT ? AGAIN : FAILED);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isNotSentAgainToAnAgentThatMayStillWorkOnIt(Kind kind) {
    AfterCall silent = kind == Kind.DELEGATION ? FAILED : AGAIN;
    assertThat(after(kind, null, OUT_OF_TIME, UNCERTAIN)).isEqualTo(silent);
    assertThat(after(kind, null, unreachable(FailureKind.READ_TIMEOUT), UNCERTAIN))
        .isEqualTo(silent);
    assertThat(after(kind, null, unreachable(FailureKind.ANSWER_TOO_SLOW), UNCERTAIN))
        .isEqualTo(FAILED);
  }
}
