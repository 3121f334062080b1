package dev.muster.agent;

import dev.muster.agent.UnsentReplies.Unsent;
import dev.muster.protocol.client.RetryDelay;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a handler's replies and reports. An answer gets no reply, so two agents cannot answer each
 * other without end. A reply that the server or the network does not accept now is kept and sent
 * later.
 */
final class Replies {

  private static final Logger log = LoggerFactory.getLogger(Replies.class);
  private static final Duration AGAIN_LIMIT = Duration.ofSeconds(30);
  private static final Duration END_LIMIT = Duration.ofSeconds(5);
  private static final int MAX_PAUSE_EXPONENT = 8; // 256 s for one path

  /** Codes after which a retry is useless: the peer got the message, or its URL is not allowed. */
  private static final Set<String> FINAL =
      Set.of(MusterException.OF_AGENT, "BAD_AGENT_RESPONSE", "AGENT_URL_NOT_ALLOWED");

  private final AgentClient client;
  private final UnsentReplies unsent;
  private final CancellationToken cancellation;

  /** The pause of each request path that got an error response. */
  private final Map<String, Rest> rests = new ConcurrentHashMap<>();

  private volatile Rest serversRest = Rest.NONE;

  private record Rest(int failures, long untilNanos) {
    static final Rest NONE = new Rest(0, 0);

    boolean isOver() {
      return failures == 0 || untilNanos - System.nanoTime() <= 0;
    }

    Rest longer(Duration time) {
      return new Rest(failures + 1, System.nanoTime() + time.toNanos());
    }
  }

  Replies(AgentClient client, UnsentReplies unsent, CancellationToken cancellation) {
    this.client = client;
    this.unsent = unsent;
    this.cancellation = cancellation;
  }

  /** Sends a reply. A reply without a recipient is logged and dropped. */
  void send(InboundMessage message, String text) {
    try {
      if (message.isAnswer() || answersOwnTask(message)) {
        log.info("message {} is an answer itself and gets none", message.activityId());
      } else {
        String what = "the reply to message " + message.activityId();
        send(what, client.answer(message, text, replyId(message)));
      }
    } catch (IllegalArgumentException e) {
      log.warn("the reply to message {} is dropped: {}", message.activityId(), e.getMessage());
    }
  }

  /** Reports the end of a delegation (R8.4). */
  void report(String delegationId, DelegationReport report) {
    send("the report on delegation " + delegationId, client.report(delegationId, report));
  }

  /**
   * Sends the result of a delegated task. A result above 250 KiB does not fit into a report, so it
   * is sent as a reply, which ends the delegation too (R8.7).
   */
  void reportResult(InboundMessage task, String result) {
    if (TextLimit.USUAL.admits(result)) {
      report(task.delegationId(), new DelegationReport.Completed(result));
    } else if (!endsWithoutIt(task.delegationId())) {
      send(task, result);
    }
  }

  /** Sends kept requests that are due; stops at the first failure to reach the server. */
  void sendKept() {
    unsent.expire(Instant.now());
    for (Unsent one : unsent.oldestFirst()) {
      if (cancellation.isCancelled() || !serversRest.isOver()) {
        return;
      }
      if (rests.getOrDefault(one.path(), Rest.NONE).isOver()) {
        sendAgain(one);
      }
    }
    if (unsent.isEmpty()) {
      rests.clear();
    }
  }

  /** Limits a poll's wait to 1 s after the next kept request is due. */
  Duration atMost(Duration wait) {
    if (unsent.isEmpty()) {
      return wait;
    }
    long next =
        unsent.oldestFirst().stream()
            .map(one -> rests.getOrDefault(one.path(), serversRest))
            .mapToLong(rest -> rest.isOver() ? 0 : rest.untilNanos() - System.nanoTime())
            .min()
            .orElse(0);
    Duration due = Duration.ofSeconds(1).plusNanos(Math.max(0, next));
    return due.compareTo(wait) < 0 ? due : wait;
  }

  private void send(String what, ServerRequest call) {
    Unsent request =
        new Unsent(what, call.path(), Objects.requireNonNull(call.body()), Instant.now());
    try {
      client.send(call);
      unsent.remove(request);
      log.info("{} is sent", what);
    } catch (MusterException e) {
      if (mayBeSentLater(e)) {
        log.warn("{} is kept and will be sent later: {}", what, e.getMessage());
        unsent.keep(request);
      } else {
        logEnd(what, e);
      }
    }
  }

  private void sendAgain(Unsent one) {
    try {
      client.send(
          client
              .again(one.path(), one.body(), RequestTimeouts.once(AGAIN_LIMIT))
              .endedBy(cancellation));
      log.info("{} is sent", one.what());
    } catch (MusterException e) {
      if (mayBeSentLater(e)) {
        log.debug("{} still waits: {}", one.what(), e.getMessage());
        rest(one.path(), e);
        return;
      }
      logEnd(one.what(), e);
    }
    serversRest = Rest.NONE;
    rests.remove(one.path());
    unsent.remove(one);
  }

  /** Pauses all requests when the server is unreachable or refuses the token, else this path. */
  private void rest(String path, MusterException e) {
    if (e.status() == 0 || e.refusesToken()) {
      int failures = Math.min(serversRest.failures() + 1, MAX_PAUSE_EXPONENT);
      serversRest =
          serversRest.longer(RetryDelay.before(failures, ThreadLocalRandom.current().nextDouble()));
    } else {
      Rest before = rests.getOrDefault(path, Rest.NONE);
      int exponent = Math.min(before.failures(), MAX_PAUSE_EXPONENT);
      rests.put(path, before.longer(Duration.ofSeconds(1L << exponent)));
    }
  }

  private static boolean mayBeSentLater(MusterException e) {
    return e.refusesToken()
        || e.code().equals(MusterException.CANCELLED)
        || (e.isTransient() && !FINAL.contains(e.code()));
  }

  private static void logEnd(String what, MusterException e) {
    switch (e.code()) {
      case "MESSAGE_ID_REUSED" -> log.info("{} was sent before", what);
      case "INVALID_TRANSITION" -> log.info("{} came after its end", what);
      default -> log.warn("{} is refused and dropped: {}", what, e.getMessage());
    }
  }

  /**
   * Waits up to 5 s and returns whether the delegation ended. The server may have received the HTTP
   * response, which ends the delegation. A reply after the end would reach the caller as an extra
   * message.
   */
  private boolean endsWithoutIt(String delegationId) {
    try {
      return client.delegation(delegationId, END_LIMIT).isOver();
    } catch (MusterException e) {
      log.debug("delegation {} cannot be read: {}", delegationId, e.getMessage());
      return false;
    }
  }

  /**
   * Returns whether the message answers a delegation of this workspace. Other agent libraries send
   * only the delegation id, so the ledger decides.
   */
  private boolean answersOwnTask(InboundMessage message) {
    if (!isAmbiguous(message)) {
      return false;
    }
    try {
      Delegation delegation = client.delegation(message.delegationId(), Duration.ZERO);
      return delegation.raw().path("source_id").asString("").equals(client.workspaceId());
    } catch (MusterException e) {
      log.debug("delegation {} is not known: {}", message.delegationId(), e.getMessage());
      return false;
    }
  }

  private static boolean isAmbiguous(InboundMessage message) {
    return message.source() == InboundSource.PEER_AGENT
        && !message.delegationId().isEmpty()
        && !message.isDispatched();
  }

  /**
   * Derives the reply's id from the message, also after a restart. So a message that is handled
   * twice is answered once. An ambiguous message is a delegated task or an answer to its result. It
   * shares one reply id per peer and delegation, so the server does not deliver a second reply.
   */
  private String replyId(InboundMessage message) {
    String what =
        isAmbiguous(message)
            ? message.sourceId() + "/" + message.delegationId()
            : message.activityId();
    String name = client.workspaceId() + "/" + what;
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
