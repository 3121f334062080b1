package dev.muster.delivery;

import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.TurnAnswer;
import dev.muster.protocol.client.A2aErrors;
import dev.muster.protocol.client.A2aResult;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What the end of a send means for its delegation (R8.3). */
final class DelegationOutcomeMapper {

  private DelegationOutcomeMapper() {}

  /** {@code response} is the agent's answer, if that is JSON. */
  static DelegationMessageOutcome of(
      DelegationMessage message, A2aResult result, @Nullable RawJson response) {
    return switch (result) {
      case A2aResult.Answer _ when response != null ->
          new DelegationMessageOutcome.Answered(message, answer(response.text()));
      case A2aResult.Answer _,
          A2aResult.RpcError _,
          A2aResult.HttpError _,
          A2aResult.Malformed _,
          A2aResult.Streamed _ ->
          new DelegationMessageOutcome.Refused(message, A2aErrors.text(result));
      case A2aResult.Unreachable _, A2aResult.OutOfTime _ ->
          new DelegationMessageOutcome.Silent(message);
    };
  }

  /** One that is too large to be looked into is an answer all the same. */
  private static TurnAnswer answer(String json) {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    try {
      return TurnAnswer.of(LosslessJson.parse(body), body);
    } catch (ProblemException tooLarge) {
      return new TurnAnswer.Said(json);
    }
  }
}
