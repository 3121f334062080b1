package dev.muster.workspace;

import dev.muster.identity.Caller;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.OptionalField;
import dev.muster.platform.text.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Holds the fields of a {@code PATCH}; null is accepted only for fields that may be null. */
record WorkspacePatch(
    Optional<String> name,
    OptionalField<String> role,
    Optional<Integer> tier,
    OptionalField<UUID> parentId,
    Optional<String> runtime,
    OptionalField<String> url,
    Optional<DeliveryMode> deliveryMode,
    Optional<Integer> maxConcurrentTasks,
    OptionalField<RawJson> agentCard,
    Optional<Double> x,
    Optional<Double> y,
    Optional<Boolean> collapsed) {

  static WorkspacePatch read(JsonBody body) {
    return new WorkspacePatch(
        body.tree("name").map(name -> WorkspaceName.required(body)),
        body.field(
            "role",
            () -> body.text("role", NewWorkspace.MAX_ROLE_LENGTH).filter(role -> !role.isEmpty())),
        body.integer("tier", 0, NewWorkspace.MAX_TIER),
        body.idField("parent_id"),
        body.text("runtime", NewWorkspace.MAX_RUNTIME_LENGTH).filter(runtime -> !runtime.isBlank()),
        body.field("url", () -> body.text("url", AgentUrls.MAX_LENGTH)),
        DeliveryMode.sent(body),
        body.integer("max_concurrent_tasks", 1, NewWorkspace.MAX_TASKS),
        body.field("agent_card", () -> body.rawObject("agent_card")),
        body.number("x", -NewWorkspace.MAX_COORDINATE, NewWorkspace.MAX_COORDINATE),
        body.number("y", -NewWorkspace.MAX_COORDINATE, NewWorkspace.MAX_COORDINATE),
        body.flag("collapsed"));
  }

  /**
   * Refuses fields that only the admin and operators may change. An agent may change all others of
   * its own workspace.
   */
  void requireRight(Caller caller) {
    if (caller.isAdmin()) {
      return;
    }
    Map<String, Boolean> ofAdminAlone = new TreeMap<>();
    ofAdminAlone.put("tier", tier.isPresent());
    ofAdminAlone.put("parent_id", parentId.given());
    ofAdminAlone.put("runtime", runtime.isPresent());
    ofAdminAlone.put("url", url.given());
    ofAdminAlone.put("delivery_mode", deliveryMode.isPresent());
    ofAdminAlone.put("max_concurrent_tasks", maxConcurrentTasks.isPresent());
    ofAdminAlone.put("agent_card", agentCard.given());
    ofAdminAlone.values().removeIf(wanted -> !wanted);
    if (!ofAdminAlone.isEmpty()) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "only the admin and operators may change "
              + String.join(", ", ofAdminAlone.keySet())
              + "; nothing was changed");
    }
  }

  boolean changesHierarchy() {
    return parentId.given();
  }

  /** Chooses the mode and the url (R3.2). A patch of neither changes neither. */
  DeliveryChoice delivery(Workspace w) {
    Optional<RawJson> card = Optional.ofNullable(card(w));
    if (!url.given() && deliveryMode.isEmpty()) {
      return DeliveryChoice.kept(w, card);
    }
    Optional<String> sentUrl = url.given() ? Optional.of(url.value().orElse("")) : Optional.empty();
    DeliveryChoice choice = DeliveryChoice.of(deliveryMode, sentUrl, Optional.of(w), card);
    if (choice.leavesUrlUnused() && deliveryMode.isEmpty()) {
      throw ProblemException.validation(
          "url: not used, since delivery_mode is \"poll\" (expected: delivery_mode \"push\" with"
              + " it, or no url); nothing was changed");
    }
    return choice;
  }

  private @Nullable RawJson card(Workspace w) {
    return agentCard.given() ? agentCard.value().orElse(null) : w.agentCard();
  }

  Workspace appliedTo(Workspace w) {
    DeliveryChoice delivery = delivery(w);
    return new Workspace(
        w.id(),
        name.orElse(w.name()),
        role.given() ? role.value().orElse(null) : w.role(),
        tier.orElse(w.tier()),
        parentId.given() ? parentId.value().orElse(null) : w.parentId(),
        runtime.orElse(w.runtime()),
        delivery.url(),
        delivery.mode(),
        delivery.isSaid(),
        card(w),
        w.status(),
        w.degradedReason(),
        w.lastSampleError(),
        w.hint(),
        w.lastErrorRate(),
        w.activeTasks(),
        maxConcurrentTasks.orElse(w.maxConcurrentTasks()),
        w.currentTask(),
        w.uptimeSeconds(),
        w.stalled(),
        w.stalledSince(),
        w.lastHeartbeatAt(),
        w.restartRequestedAt(),
        w.statusSince(),
        x.orElse(w.x()),
        y.orElse(w.y()),
        collapsed.orElse(w.collapsed()),
        w.createdAt(),
        w.updatedAt(),
        w.removedAt());
  }

  /** Returns the fields whose values differ, with the new values. */
  static Map<String, @Nullable Object> changes(Workspace was, Workspace now) {
    Map<String, @Nullable Object> changes = new LinkedHashMap<>();
    note(changes, "name", was.name(), now.name());
    note(changes, "role", was.role(), now.role());
    note(changes, "tier", was.tier(), now.tier());
    note(changes, "parent_id", was.parentId(), now.parentId());
    note(changes, "runtime", was.runtime(), now.runtime());
    note(changes, "url", was.url(), now.url());
    note(changes, "delivery_mode", was.deliveryMode(), now.deliveryMode());
    note(changes, "max_concurrent_tasks", was.maxConcurrentTasks(), now.maxConcurrentTasks());
    note(changes, "agent_card", was.agentCard(), now.agentCard());
    note(changes, "x", was.x(), now.x());
    note(changes, "y", was.y(), now.y());
    note(changes, "collapsed", was.collapsed(), now.collapsed());
    return changes;
  }

  static void note(
      Map<String, @Nullable Object> changes,
      String name,
      @Nullable Object was,
      @Nullable Object now) {
    if (!Objects.equals(was, now)) {
      changes.put(name, now);
    }
  }
}
