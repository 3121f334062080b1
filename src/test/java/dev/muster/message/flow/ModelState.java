package dev.muster.message.flow;

import dev.muster.message.flow.ModelCommand.Behavior;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of {@link DeliveryModel}: plain values, and the choice of the next delivery to claim.
 */
final class ModelState {

  static final List<String> SENDERS = List.of("S1", "S2");
  static final List<String> TARGETS = List.of("A", "B");

  /** The slots of a target. */
  static int slotsOf(String target) {
    return target.equals("A") ? 1 : 2;
  }

  enum Status {
    AWAITING,
    ONLINE,
    DEGRADED,
    OFFLINE,
    PAUSED,
    REMOVED
  }

  enum Kind {
    MESSAGE,
    DELEGATION,
    RESULT,
    /** A row without a delivery. */
    NOTE
  }

  /** A request of a sender, and the answers that are allowed now; none while it waits. */
  static final class Request {
    final int number;
    final int server;
    Set<String> allowedAnswers = Set.of();

    Request(int number, int server) {
      this.number = number;
      this.server = server;
    }
  }

  /** A call without an answer of the agent yet; that of a queued message has no request. */
  static final class Call {
    final Row row;
    final @Nullable Request request;

    Call(Row row, @Nullable Request request) {
      this.row = row;
      this.request = request;
    }

    /** Whether its claim is still valid. */
    boolean isHeld() {
      return row.open != null && row.open.call == this;
    }
  }

  /** An open delivery. */
  static final class Open {
    final boolean queued;
    final int priority;
    final int order;
    int attempts;
    int deliveries;
    int pauseSeconds;
    int lastStatus;
    boolean isHeld;
    @Nullable Call call;

    Open(boolean queued, int priority, int order, int deliveries) {
      this.queued = queued;
      this.priority = priority;
      this.order = order;
      this.deliveries = deliveries;
      this.isHeld = !queued;
    }
  }

  record Outcome(
      String state, @Nullable String queueState, int status, String said, int deliveries) {

    boolean isAnswered() {
      return state.equals("answered");
    }

    boolean isAnsweredByMessage() {
      return isAnswered() && said.startsWith("said-");
    }
  }

  /** A row of a feed, with its delivery and its outcome. */
  static final class Row {
    final Workspace owner;
    final String id;
    final String from;
    final Kind kind;
    final int priority;
    final int order;
    boolean isRead;
    @Nullable Open open;
    @Nullable Outcome outcome;
    List<Request> waiting = new ArrayList<>();

    Row(Workspace owner, String id, String from, Kind kind, int priority, int order) {
      this.owner = owner;
      this.id = id;
      this.from = from;
      this.kind = kind;
      this.priority = priority;
      this.order = order;
    }

    boolean isWaiting() {
      return open != null && open.queued && !open.isHeld;
    }

    boolean isSending() {
      return open != null && !open.queued;
    }
  }

  static final class Workspace {
    final String name;
    Status status = Status.AWAITING;
    boolean polls;
    int activeTasks;
    boolean isAway;
    Behavior behavior = Behavior.ANSWERS;
    final List<Row> rows = new ArrayList<>();
    final List<Call> calls = new ArrayList<>();
    final List<Row> received = new ArrayList<>();

    Workspace(String name, boolean polls) {
      this.name = name;
      this.polls = polls;
    }

    boolean isRemoved() {
      return status == Status.REMOVED;
    }

    private boolean isOnline() {
      return status == Status.ONLINE || status == Status.DEGRADED;
    }

    boolean canTake() {
      return isOnline() && activeTasks < slotsOf(name);
    }

    boolean hasQueuedOf(String sender) {
      return rows.stream()
          .anyMatch(row ->
              row.kind == Kind.MESSAGE
                  && row.from.equals(sender)
                  && row.open != null
                  && row.open.queued);
    }

    /**
     * Whether several requests would end at the same moment and queue their messages in any order.
     */
    boolean wouldQueueSeveral() {
      return !polls
          && !canTake()
          && rows.stream()
                  .filter(row ->
                      !row.waiting.isEmpty()
                          || calls.stream()
                              .anyMatch(call ->
                                  call.row == row && call.request != null && !call.isHeld()))
                  .count()
              > 1;
    }

    List<Row> waiting() {
      return rows.stream().filter(Row::isWaiting).toList();
    }

    /**
     * Returns the delivery that a replica claims next (R7.7): only the first message of each sender
     * may be claimed. Messages that wait for an agent that polls now are left in its feed.
     */
    Optional<Row> next() {
      if (isRemoved() || (!polls && !isOnline())) {
        return Optional.empty();
      }
      List<Row> queued =
          rows.stream().filter(row -> row.open != null && row.open.queued).sorted(ORDER).toList();
      Map<String, Row> firsts = new HashMap<>();
      queued.stream()
          .filter(row -> row.kind == Kind.MESSAGE)
          .forEach(row -> firsts.merge(row.from, row, ModelState::heldFirst));
      List<Row> ready =
          queued.stream()
              .filter(row -> row.isWaiting() && requireOpen(row).pauseSeconds == 0)
              .filter(row -> row.kind != Kind.MESSAGE || firsts.get(row.from) == row)
              .toList();
      int free = polls ? 32 : Math.max(0, slotsOf(name) - activeTasks);
      return first(ready, queued, false, free).or(() -> first(ready, queued, true, 8));
    }

    private static Optional<Row> first(
        List<Row> ready, List<Row> queued, boolean results, int slots) {
      long held =
          queued.stream()
              .filter(row -> requireOpen(row).isHeld && (row.kind == Kind.RESULT) == results)
              .count();
      return ready.stream()
          .filter(row -> (row.kind == Kind.RESULT) == results && held < slots)
          .findFirst();
    }
  }

  private static final Comparator<Row> ORDER =
      Comparator.comparingInt((Row row) -> -requireOpen(row).priority)
          .thenComparingInt(row -> requireOpen(row).order);

  private static Row heldFirst(Row one, Row other) {
    return requireOpen(other).isHeld ? other : one;
  }

  static Open requireOpen(Row row) {
    if (row.open == null) {
      throw new IllegalStateException(row.id + " is not open");
    }
    return row.open;
  }

  static final class Delegation {
    final String id;
    final Workspace caller;
    final Workspace callee;
    String status = "dispatched";

    Delegation(String id, Workspace caller, Workspace callee) {
      this.id = id;
      this.caller = caller;
      this.callee = callee;
    }

    boolean isInFlight() {
      return status.equals("dispatched") || status.equals("in_progress");
    }
  }

  final Map<String, Workspace> workspaces = new LinkedHashMap<>();
  final Map<String, Delegation> delegations = new LinkedHashMap<>();
  final List<Row> messages = new ArrayList<>();
  final List<Request> requests = new ArrayList<>();
  private int lastOrder;

  ModelState() {
    SENDERS.forEach(name -> workspaces.put(name, new Workspace(name, true)));
    TARGETS.forEach(name -> workspaces.put(name, new Workspace(name, false)));
  }

  Workspace workspace(String name) {
    return Objects.requireNonNull(workspaces.get(name));
  }

  int nextOrder() {
    return ++lastOrder;
  }

  Row append(Workspace owner, String id, String from, Kind kind, int priority) {
    Row row = new Row(owner, id, from, kind, priority, nextOrder());
    owner.rows.add(row);
    return row;
  }
}
