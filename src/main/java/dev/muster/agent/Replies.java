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
 * Sends what a handler says to those who wait for it, and so that no two agents go on for ever.
 * What cannot be sent because of the platform or the network is kept, and sent when that is over.
 */
final class Replies {

  private static final Logger log = LoggerFactory.getLogger(Replies.class);
  private static final Duration AGAIN_LIMIT = Duration.ofSeconds(30);
  private static final Duration END_LIMIT = Duration.ofSeconds(5);
  private static final int MAX_PAUSE_EXPONENT = 8; // 256 s

  /** The peer has it, or will not get it from there. */
  private static final Set<String> FINAL =
      Set.of("AGENT_HTTP_ERROR", "BAD_AGENT_RESPONSE", "AGENT_URL_NOT_ALLOWED");

  private final AgentClient client;
  private final UnsentReplies unsent;
  private final CancellationToken cancellation;

  /** When a path may be tried again that was answered with an error. */
  private final Map<String, Rest> rests = new ConcurrentHashMap<>();

  private volatile Rest platformsRest = Rest.NONE;

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

  /** A reply that nobody can get is logged: its message is handled all the same. */
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

  /** How a delegation ended (R8.4). */
  void report(String delegationId, DelegationReport report) {
    send("the report on delegation " + delegationId, client.report(delegationId, report));
  }

  /**
   * What a delegated task came to: by a report, or by a reply where a report has no room for it. A
   * reply ends the delegation too (R8.7).
   */
  void reportResult(InboundMessage task, String result) {
    if (TextLimit.USUAL.admits(result)) {
      report(task.delegationId(), new DelegationReport.Completed(result));
    } else if (!endsWithoutIt(task.delegationId())) {
      send(task, result);
    }
  }

  /** Tries again what is due; a platform that is away ends the attempts of this time. */
  void sendKept() {
    unsent.expire(Instant.now());
    for (Unsent one : unsent.oldestFirst()) {
      if (cancellation.isCancelled() || !platformsRest.isOver()) {
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

  /** How long a poll may be held while something waits to be sent. */
  Duration atMost(Duration wait) {
    if (unsent.isEmpty()) {
      return wait;
    }
    long next =
        unsent.oldestFirst().stream()
            .map(one -> rests.getOrDefault(one.path(), platformsRest))
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
        log.debug("{} has to wait on: {}", one.what(), e.getMessage());
        rest(one.path(), e);
        return;
      }
      logEnd(one.what(), e);
    }
    platformsRest = Rest.NONE;
    rests.remove(one.path());
    unsent.remove(one);
  }

  /** Trouble with one peer or one request does not hold up the others. */
  private void rest(String path, MusterException e) {
    if (e.status() == 0 || e.status() == 401) {
      int failures = Math.min(platformsRest.failures() + 1, MAX_PAUSE_EXPONENT);
      platformsRest =
          platformsRest.longer(
              RetryDelay.before(failures, ThreadLocalRandom.current().nextDouble()));
    } else {
      Rest before = rests.getOrDefault(path, Rest.NONE);
      int exponent = Math.min(before.failures(), MAX_PAUSE_EXPONENT);
      rests.put(path, before.longer(Duration.ofSeconds(1L << exponent)));
    }
  }

  private static boolean mayBeSentLater(MusterException e) {
    boolean tokenMayBeReplaced = e.status() == 401;
    return tokenMayBeReplaced
        || e.code().equals(MusterException.CANCELLED)
        || (e.isTransient() && !FINAL.contains(e.code()));
  }

  private static void logEnd(String what, MusterException e) {
    switch (e.code()) {
      case "MESSAGE_ID_REUSED" -> log.info("{} was sent before", what);
      case "INVALID_TRANSITION" -> log.info("{} comes after its end", what);
      default -> log.warn("{} is refused and dropped: {}", what, e.getMessage());
    }
  }

  /**
   * An answer that the platform got after all ends the delegation within moments; a reply after the
   * end would be one more message to the caller.
   */
  private boolean endsWithoutIt(String delegationId) {
    try {
      return client.delegation(delegationId, END_LIMIT).isOver();
    } catch (MusterException e) {
      log.debug("delegation {} cannot be read: {}", delegationId, e.getMessage());
      return false;
    }
  }

  /** Agents of other libraries name only the delegation; the ledger knows whose it is. */
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
   * The same after a restart: a message that is handled twice is answered once. Where a task cannot
   * be told from thanks for its result, there is one answer for the delegation: the platform
   * recognises the second, and does not deliver it.
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
