package dev.muster.delivery;

/**
 * What somebody does in a run of {@link DeliveryModel}. Messages and delegations are named by their
 * number among those that there are by then, so that a command still means something when others
 * before it are left out.
 *
 * <p>{@code server} is the replica that is asked.
 */
sealed interface ModelCommand {

  /** How an agent treats what it is given. */
  enum Behavior {
    ANSWERS(200),
    FAILS(500),
    IS_BUSY(503),
    CLOSES(CountingAgent.CLOSE_WITHOUT_ANSWER),
    /** Until it behaves otherwise, which it then does to all that it holds. */
    IS_SILENT(200);

    final int status;

    Behavior(int status) {
      this.status = status;
    }
  }

  record Send(int server, String sender, String target, int priority) implements ModelCommand {}

  record Repeat(int server, int message) implements ModelCommand {}

  record SendOtherContent(int server, int message) implements ModelCommand {}

  record Beat(int server, String agent, boolean degraded, int activeTasks)
      implements ModelCommand {}

  /** It was not heard of for long. */
  record GoOffline(String agent) implements ModelCommand {}

  record Pause(int server, String agent) implements ModelCommand {}

  record Resume(int server, String agent) implements ModelCommand {}

  record Remove(int server, String agent) implements ModelCommand {}

  record ChangeMode(int server, String agent, boolean polls) implements ModelCommand {}

  /** Its url is one where nobody listens, or its own again. */
  record Move(int server, String agent, boolean away) implements ModelCommand {}

  record Behave(String agent, Behavior behavior) implements ModelCommand {}

  /** The agent answers the first of the calls that it holds, and stays silent. */
  record AnswerOne(String agent) implements ModelCommand {}

  /** It has read its feed. */
  record Acknowledge(int server, String agent) implements ModelCommand {}

  /** The pauses after failed attempts are over. */
  record EndPauses(int server, String agent) implements ModelCommand {}

  /** What waits has waited for too long. */
  record Expire(int server, String agent) implements ModelCommand {}

  /**
   * The replica that holds what is under way is taken for dead, and the other one takes it over;
   * what the first one does with it from then on comes too late.
   */
  record LoseReplica(int server, String agent) implements ModelCommand {}

  record Delegate(int server, String caller, String callee) implements ModelCommand {}

  /** By its caller. */
  record Report(int server, int delegation, String status) implements ModelCommand {}

  /** The callee answers a delegation by a message of its own. */
  record ReplyToDelegation(int server, int delegation) implements ModelCommand {}

  /** The agent answers a message by one of its own. */
  record ReplyToMessage(int server, int message) implements ModelCommand {}
}
