package dev.muster.message.call;

import static dev.muster.protocol.client.A2aErrors.text;

import dev.muster.message.NewActivity.ActivityResult;
import dev.muster.message.store.DeliveryOutcome;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.message.store.ProxyResponse;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.HttpError;
import dev.muster.protocol.client.A2aResult.Malformed;
import dev.muster.protocol.client.A2aResult.OutOfTime;
import dev.muster.protocol.client.A2aResult.RpcError;
import dev.muster.protocol.client.A2aResult.Streamed;
import dev.muster.protocol.client.A2aResult.Unreachable;
import dev.muster.protocol.client.FailureKind;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/** Maps the result of a send to a delivery outcome (R7.6). */
@Component
public class OutcomeMapper {

  private static final String OK = "ok";
  private static final String ERROR = "error";
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /** Statuses by which an agent, or what stands before it, refuses a message for now. */
  private static final Set<Integer> NOT_TAKEN = Set.of(401, 408, 425, 429, 503);

  /** Statuses by which a gateway says that it got no answer from the agent. */
  private static final Set<Integer> WITHOUT_UPSTREAM = Set.of(502, 504);

  /** Statuses that a gateway gives for an agent that does not run. */
  private static final Set<Integer> FROM_GATEWAYS = Set.of(502, 503, 504);

  private final ProxyResponses replies;

  OutcomeMapper(ProxyResponses replies) {
    this.replies = replies;
  }

  /**
   * Maps the result of a send.
   *
   * @param deliveredBefore whether the agent may have got the message in earlier sends
   */
  public DeliveryOutcome of(A2aResult result, boolean deliveredBefore) {
    return switch (result) {
      case Answer answer ->
          answered(answer, asSent(answer.status(), answer.body()), json(answer.body()));
      case RpcError error ->
          answered(error, asSent(error.status(), error.body()), json(error.body()));
      case HttpError error -> httpError(error, deliveredBefore);
      case Malformed answer -> answered(answer, replies.badResponse(text(answer)), null);
      case Streamed stream -> streamed(stream);
      case Unreachable end ->
          unanswered(end, deliveredBefore, end.last() == FailureKind.NOT_ALLOWED);
      case OutOfTime end -> unanswered(end, deliveredBefore, false);
    };
  }

  private DeliveryOutcome answered(
      A2aResult result, ProxyResponse reply, @Nullable RawJson response) {
    return outcome(result, reply, OutcomeState.ANSWERED, response);
  }

  private DeliveryOutcome httpError(HttpError error, boolean deliveredBefore) {
    return outcome(
        error,
        replies.httpError(error.status(), said(error)),
        stateOf(error.status(), deliveredBefore),
        null);
  }

  /**
   * Returns the state after a status of the agent (R7.16). What it has not taken may be sent again,
   * and if sending twice is allowed, so may what a gateway got no answer to.
   */
  private static OutcomeState stateOf(int status, boolean deliveredBefore) {
    if (NOT_TAKEN.contains(status)) {
      return deliveredBefore ? OutcomeState.UNCERTAIN : OutcomeState.REFUSED;
    }
    return WITHOUT_UPSTREAM.contains(status) ? OutcomeState.UNCERTAIN : OutcomeState.ANSWERED;
  }

  /** Stores only the last event of a stream; a duplicate message gets that event. */
  private DeliveryOutcome streamed(Streamed stream) {
    Optional<RawJson> last = stream.lastData().flatMap(OutcomeMapper::jsonOrNone);
    ProxyResponse reply =
        new ProxyResponse(
            stream.status(),
            MediaType.TEXT_EVENT_STREAM_VALUE,
            last.map(data -> "data: " + data.text() + "\n\n")
                .orElse("")
                .getBytes(StandardCharsets.UTF_8));
    return stream.whole()
        ? answered(stream, reply, last.orElse(null))
        : outcome(
            stream, replies.timedOut(text(stream)), OutcomeState.UNCERTAIN, last.orElse(null));
  }

  private DeliveryOutcome unanswered(A2aResult end, boolean deliveredBefore, boolean isForbidden) {
    if (deliveredBefore || end.mayBeDelivered()) {
      return outcome(end, replies.timedOut(text(end)), OutcomeState.UNCERTAIN, null);
    }
    ProxyResponse reply =
        isForbidden ? replies.notAllowed(text(end)) : replies.unreachable(text(end));
    return outcome(end, reply, OutcomeState.REFUSED, null);
  }

  private static DeliveryOutcome outcome(
      A2aResult result, ProxyResponse reply, OutcomeState state, @Nullable RawJson response) {
    @Nullable String error = errorOf(result);
    long millis = result.elapsed().toMillis();
    return new DeliveryOutcome(
        reply.with(result.headers()),
        state,
        response,
        new ActivityResult(error == null ? OK : ERROR, error, millis),
        state == OutcomeState.REFUSED ? 0 : result.deliveries(),
        isAnswered(result));
  }

  /** Returns as {@link DeliveryOutcome#answered}. */
  private static @Nullable Boolean isAnswered(A2aResult result) {
    return switch (result) {
      case HttpError error -> !FROM_GATEWAYS.contains(error.status());
      case Unreachable end ->
          switch (end.last()) {
            case BAD_URL, NOT_ALLOWED, INTERRUPTED -> null;
            case NO_MEMORY, ANSWER_TOO_SLOW -> true;
            default -> false;
          };
      case OutOfTime end -> end.last() == null ? null : false;
      case Answer _, RpcError _, Malformed _, Streamed _ -> true;
    };
  }

  private static @Nullable String errorOf(A2aResult result) {
    return switch (result) {
      case Answer _ -> null;
      case Streamed stream when stream.whole() -> null;
      default -> text(result);
    };
  }

  /** Returns the agent's error text, or a description of the result if that is blank. */
  private static String said(HttpError error) {
    return error.text().isBlank() ? text(error) : error.text();
  }

  private static ProxyResponse asSent(int status, byte[] body) {
    return new ProxyResponse(status, MediaType.APPLICATION_JSON_VALUE, body);
  }

  /**
   * Decodes UTF-8 without a byte order mark. The database would take the mark as part of the
   * document.
   */
  private static RawJson json(byte[] utf8) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    return new RawJson(text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text);
  }

  /** Returns the event's data, or empty if it is not JSON. */
  private static Optional<RawJson> jsonOrNone(byte[] data) {
    try {
      return Optional.of(LosslessJson.write(LosslessJson.parse(data)));
    } catch (ProblemException notJson) {
      return Optional.empty();
    }
  }
}
