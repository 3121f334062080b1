package dev.muster.message;

import dev.muster.message.store.DeliveryOutcome;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.AgentResponse;
import dev.muster.protocol.client.A2aErrors;
import dev.muster.protocol.client.A2aResult;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The outcome of the delivery of a delegation's message. */
public sealed interface DelegationMessageOutcome {

  /** The callee has responded. */
  record Answered(DelegationMessage message, AgentResponse answer)
      implements DelegationMessageOutcome {}

  /** The callee will not get the message, refused it, or sent an invalid response. */
  record Failed(DelegationMessage message, String error) implements DelegationMessageOutcome {}

  /** The callee may have the message and has not responded. */
  record Silent(DelegationMessage message) implements DelegationMessageOutcome {}

  /**
   * Maps the result of a send (R8.3).
   *
   * @param outcome the outcome of the delivery
   */
  static DelegationMessageOutcome of(
      DelegationMessage message, A2aResult result, DeliveryOutcome outcome) {
    @Nullable RawJson response = outcome.response();
    if (outcome.state() == OutcomeState.UNCERTAIN) {
      return new Silent(message);
    }
    return result instanceof A2aResult.Answer answer && response != null
        ? new Answered(message, answer(answer.status(), response.text()))
        : new Failed(message, A2aErrors.text(result));
  }

  /** Reads the answer; a response that is too large to parse is kept as text. */
  private static AgentResponse answer(int status, String json) {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    try {
      return AgentResponse.of(status, LosslessJson.parse(body), body);
    } catch (ProblemException tooLarge) {
      return new AgentResponse.Replied(json);
    }
  }
}
