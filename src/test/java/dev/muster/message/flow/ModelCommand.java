package dev.muster.message.flow;

/**
 * One request or event in a run of {@link DeliveryModel}. Messages and delegations are named by
 * their number among those that exist at that point, so that a command still means something when
 * earlier ones are left out.
 *
 * <p>{@code server} is the replica that gets the request.
 */
sealed interface ModelCommand {

  /** How an agent treats messages. */
  enum Behavior {
    ANSWERS(200),
    REJECTS(422),
    FAILS(500),
    HAS_NO_UPSTREAM(502),
    IS_BUSY(503),
    CLOSES(CountingAgent.CLOSE_WITHOUT_ANSWER),
    /** Holds all calls until another behaviour is set, which then applies to them. */
    IS_SILENT(200);

    final int status;

    Behavior(int status) {
      this.status = status;
    }
  }

  record Send(int server, String sender, String target, int priority) implements ModelCommand {}

  record Repeat(int server, int message) implements ModelCommand {}

  record SendOtherContent(int server, int message) implements ModelCommand {}

  record SendHeartbeat(int server, String agent, boolean degraded, int activeTasks)
      implements ModelCommand {}

  /** It sent no heartbeat for longer than the stale time. */
  record GoOffline(String agent) implements ModelCommand {}

  record Pause(int server, String agent) implements ModelCommand {}

  record Resume(int server, String agent) implements ModelCommand {}

  record Remove(int server, String agent) implements ModelCommand {}

  record ChangeMode(int server, String agent, boolean polls) implements ModelCommand {}

  /** Sets a url without a listener, or its own url again. */
  record Move(int server, String agent, boolean away) implements ModelCommand {}

  record Behave(String agent, Behavior behavior) implements ModelCommand {}

  /** The agent answers the first of the calls that it holds, and stays silent. */
  record AnswerOne(String agent) implements ModelCommand {}

  /** The agent acknowledges its feed. */
  record Acknowledge(int server, String agent) implements ModelCommand {}

  /** Ends the pauses after failed attempts. */
  record EndPauses(int server, String agent) implements ModelCommand {}

  /** Expires the waiting messages. */
  record Expire(int server, String agent) implements ModelCommand {}

  /**
   * The other replica takes over the deliveries in progress as if their replica were dead;
   * completions of the first replica come too late.
   */
  record LoseReplica(int server, String agent) implements ModelCommand {}

  record Delegate(int server, String caller, String callee) implements ModelCommand {}

  /** A report of the caller. */
  record Report(int server, int delegation, String status) implements ModelCommand {}

  /** The callee answers a delegation by a message of its own. */
  record ReplyToDelegation(int server, int delegation) implements ModelCommand {}

  /** The agent answers a message by one of its own. */
  record ReplyToMessage(int server, int message) implements ModelCommand {}
}
