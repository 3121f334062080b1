package dev.muster.message.send;

import dev.muster.testing.PeerBehavior;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A fault of an agent during a delivery, and the outcome that R7.6 requires. */
enum CrashPoint {
  REFUSED(null, Outcome.NOT_DELIVERED, Arrival.NONE),
  NO_SUCH_NAME(null, Outcome.NOT_DELIVERED, Arrival.NONE),
  NOT_ALLOWED(null, Outcome.FORBIDDEN, Arrival.NONE),

  CLOSED_AT_ONCE(PeerBehavior.closeAtOnce(), Outcome.UNKNOWN, Arrival.PERHAPS),
  RESET_AT_ONCE(PeerBehavior.resetAtOnce(), Outcome.UNKNOWN, Arrival.PERHAPS),
  RESET_DURING_REQUEST(PeerBehavior.resetDuringRequest(), Outcome.UNKNOWN, Arrival.PART),
  RESET_AFTER_REQUEST(PeerBehavior.resetAfterRequest(), Outcome.UNKNOWN, Arrival.WHOLE),
  CLOSED_AFTER_REQUEST(PeerBehavior.closeAfterRequest(), Outcome.UNKNOWN, Arrival.WHOLE),
  HALF_HEAD(PeerBehavior.halfHead(), Outcome.UNKNOWN, Arrival.WHOLE),
  HALF_BODY(PeerBehavior.halfBody(), Outcome.UNKNOWN, Arrival.WHOLE),
  GARBAGE(PeerBehavior.garbage(), Outcome.UNKNOWN, Arrival.WHOLE),
  SILENCE(PeerBehavior.silence(), Outcome.UNKNOWN, Arrival.ONCE),
  DEAFNESS(PeerBehavior.deafness(), Outcome.UNKNOWN, Arrival.PART_ONCE),
  DRIP(PeerBehavior.drip(Duration.ofMillis(200)), Outcome.UNKNOWN, Arrival.ONCE),

  REDIRECT(
      PeerBehavior.answer(302, Map.of("Location", "http://127.0.0.1:1/elsewhere"), ""), 302, ""),
  PERMANENT_REDIRECT(
      PeerBehavior.answer(308, Map.of("Location", "/a2a/"), "{\"error\":\"moved\"}"), 308, "moved"),
  BAD_REQUEST(400),
  UNAUTHORIZED(401),
  NOT_FOUND(404),
  CONFLICT(409),
  TOO_LARGE(413),
  REQUEST_TIMEOUT(408),
  TOO_EARLY(425),
  TOO_MANY(429),
  BROKEN(500),
  BAD_GATEWAY(502),
  GATEWAY_TIMEOUT(504),
  BUSY(
      PeerBehavior.answer(503, Map.of("Retry-After", "0"), "{\"error\":\"no room\"}"),
      503,
      "no room"),
  OVERLOADED(PeerBehavior.answer(529, "{\"error\":\"overloaded\"}"), 529, "overloaded"),
  WORDLESS(PeerBehavior.answer(500, ""), 500, ""),
  LONG_WINDED(
      PeerBehavior.answer(500, "{\"error\":\"" + "é".repeat(6000) + "\"}"), 500, "é".repeat(4096)),

  EMPTY(PeerBehavior.answer(200, ""), Outcome.NO_ANSWER, Arrival.ONCE),
  NO_CONTENT(PeerBehavior.sendAndClose("HTTP/1.1 204 No\r\n\r\n"), Outcome.NO_ANSWER, Arrival.ONCE),
  HTML(
      PeerBehavior.answer(200, Map.of("Content-Type", "text/html"), "<html>welcome</html>"),
      Outcome.NO_ANSWER,
      Arrival.ONCE),
  CUT_JSON(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\","), Outcome.NO_ANSWER, Arrival.ONCE),
  ANNOUNCED_65_MIB(
      PeerBehavior.sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: " + (65 << 20) + "\r\n\r\n{"),
      Outcome.NO_ANSWER,
      Arrival.ONCE),
  NEGATIVE_LENGTH(
      PeerBehavior.sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"),
      Outcome.NO_ANSWER,
      Arrival.ONCE),
  BROKEN_CHUNKS(
      PeerBehavior.sendAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
      Outcome.NO_ANSWER,
      Arrival.ONCE),
  NEGATIVE_STATUS(
      PeerBehavior.sendAndClose("HTTP/1.1 -12 No\r\n\r\n{}"), Outcome.NO_ANSWER, Arrival.ONCE),
  SENT_65_MIB(endless(), Outcome.NO_ANSWER, Arrival.ONCE);

  /** How much of the request reaches the peer. */
  enum Arrival {
    NONE,
    /** None or part of it: whether the connection opened first is a matter of microseconds. */
    PERHAPS,
    PART,
    /** Part of the first attempt; the time is too short for a second attempt. */
    PART_ONCE,
    /** The whole request, with every attempt. */
    WHOLE,
    /** The whole request, with the only attempt. */
    ONCE
  }

  /** The answer to the sender. */
  enum Outcome {
    NOT_DELIVERED(503, "AGENT_UNREACHABLE", "refused", "restarting", "true", "retry_after", "15"),
    FORBIDDEN(502, "AGENT_URL_NOT_ALLOWED", "refused"),
    UNKNOWN(504, "AGENT_TIMEOUT", "uncertain", "busy", "true"),
    NO_ANSWER(502, "BAD_AGENT_RESPONSE", "answered", "delivery_confirmed", "true"),
    /** Refused by the agent, with its own status. */
    REJECTED(0, "AGENT_HTTP_ERROR", "answered"),
    /** Refused for now: the agent has not taken it (R7.16). */
    NOT_TAKEN(0, "AGENT_HTTP_ERROR", "refused"),
    /** A gateway got no answer from the agent. */
    LOST(0, "AGENT_HTTP_ERROR", "uncertain");

    static Outcome of(int agentStatus) {
      return switch (agentStatus) {
        case 401, 408, 425, 429, 503 -> NOT_TAKEN;
        case 502, 504 -> LOST;
        default -> REJECTED;
      };
    }

    final int status;
    final String code;
    final String state;

    @SuppressWarnings("ImmutableEnumChecker") // made by Map.of
    final Map<String, String> extras;

    Outcome(int status, String code, String state) {
      this(status, code, state, Map.of());
    }

    Outcome(int status, String code, String state, String extra, String value) {
      this(status, code, state, Map.of(extra, value));
    }

    Outcome(
        int status,
        String code,
        String state,
        String extra,
        String value,
        String another,
        String ofAnother) {
      this(status, code, state, Map.of(extra, value, another, ofAnother));
    }

    Outcome(int status, String code, String state, Map<String, String> extras) {
      this.status = status;
      this.code = code;
      this.state = state;
      this.extras = extras;
    }
  }

  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  final @Nullable PeerBehavior deed;

  final Outcome outcome;
  final Arrival arrival;

  /** The HTTP status of the agent; 0 if it sent none, or a success. */
  final int agentStatus;

  /** The detail that the agent's error has; "" for none. */
  final String words;

  CrashPoint(@Nullable PeerBehavior deed, Outcome outcome, Arrival arrival) {
    this.deed = deed;
    this.outcome = outcome;
    this.arrival = arrival;
    this.agentStatus = 0;
    this.words = "";
  }

  CrashPoint(int agentStatus) {
    this(
        PeerBehavior.answer(agentStatus, "{\"error\":\"we say " + agentStatus + "\"}"),
        agentStatus,
        "we say " + agentStatus);
  }

  CrashPoint(PeerBehavior deed, int agentStatus, String words) {
    this.deed = deed;
    this.outcome = Outcome.of(agentStatus);
    this.arrival = Arrival.ONCE;
    this.agentStatus = agentStatus;
    this.words = words;
  }

  /**
   * A redirect is not forwarded to the sender, and neither is what concerns the server's
   * credential.
   */
  int status(Outcome as) {
    boolean isOfTheServer = agentStatus < 400 || agentStatus == 401;
    return as.status > 0 ? as.status : isOfTheServer ? 502 : agentStatus;
  }

  /** Undelivered is claimed only when the peer certainly received nothing. */
  Outcome outcome(int deliveries) {
    return arrival == Arrival.PERHAPS && deliveries == 0 ? Outcome.NOT_DELIVERED : outcome;
  }

  /** Whether two attempts may have reached the agent. */
  boolean mayCount(int deliveries, boolean retriesAmbiguous) {
    return switch (arrival) {
      case NONE -> deliveries == 0;
      case PERHAPS -> deliveries <= (retriesAmbiguous ? 2 : 1);
      case PART_ONCE, ONCE -> deliveries == (outcome == Outcome.NOT_TAKEN ? 0 : 1);
      case PART, WHOLE -> deliveries == (retriesAmbiguous ? 2 : 1);
    };
  }

  int wholeDeliveries(boolean retriesAmbiguous) {
    return switch (arrival) {
      case NONE, PERHAPS, PART, PART_ONCE -> 0;
      case ONCE -> 1;
      case WHOLE -> retriesAmbiguous ? 2 : 1;
    };
  }

  /** The error kind on the row, as a pattern. */
  String kind() {
    return switch (this) {
      case REFUSED -> "ConnectRefused";
      case NO_SUCH_NAME -> "UnknownHost";
      case NOT_ALLOWED -> "NotAllowed";
      case CLOSED_AT_ONCE, RESET_AT_ONCE -> "ConnectionReset|WriteError|ClosedWithoutResponse";
      case RESET_DURING_REQUEST -> "ConnectionReset|WriteError";
      case RESET_AFTER_REQUEST -> "ConnectionReset";
      case CLOSED_AFTER_REQUEST, HALF_HEAD -> "ClosedWithoutResponse";
      case HALF_BODY, GARBAGE -> "ReadError";
      case SILENCE, DEAFNESS, DRIP -> "ReadTimeout";
      default -> agentStatus > 0 ? "HttpError " + agentStatus : "MalformedAnswer";
    };
  }

  private static PeerBehavior endless() {
    return exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
      byte[] mebibyte = " ".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 65; i++) {
        exchange.send(mebibyte);
      }
      return false;
    };
  }
}
