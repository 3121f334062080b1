package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The workspaces that exist, and who may speak for them; the registry's face to the other modules.
 */
@Service
public class Workspaces {

  private final WorkspaceRepository repository;
  private final Hierarchy hierarchy;
  private final AccessCache pairs;
  private final TargetCache targets;
  private final AgentUrls urls;
  private final Events events;

  Workspaces(
      WorkspaceRepository repository,
      Hierarchy hierarchy,
      AccessCache pairs,
      TargetCache targets,
      AgentUrls urls,
      Events events) {
    this.repository = repository;
    this.hierarchy = hierarchy;
    this.pairs = pairs;
    this.targets = targets;
    this.urls = urls;
    this.events = events;
  }

  /** Refuses with 404 when there is none, 410 when it was removed, and then 403 (R1.4's order). */
  public void requireSpeakerFor(UUID id, Caller caller) {
    requireOwnIdOfFormer(id, caller);
    findActive(id);
    AccessChecks.requireSpeakerFor(id, caller);
  }

  /** As {@link #requireSpeakerFor}, for reads, which viewers may as well (R1.7). */
  public void requireReaderOf(UUID id, Caller caller) {
    requireOwnIdOfFormer(id, caller);
    findActive(id);
    AccessChecks.requireReaderOf(id, caller);
  }

  /** As {@link #requireTrustedSpeakerFor}, for reads. */
  public void requireTrustedReaderOf(UUID id, Caller caller) {
    if (!caller.equals(new Caller.Agent(id))) {
      requireReaderOf(id, caller);
    }
  }

  /**
   * As {@link #requireSpeakerFor}, without a look at the database for a workspace's own token: that
   * is good for as long as the workspace is there, and a few seconds more at most (R1.6). For what
   * harms nobody when it comes that late.
   */
  public void requireTrustedSpeakerFor(UUID id, Caller caller) {
    if (!caller.equals(new Caller.Agent(id))) {
      requireSpeakerFor(id, caller);
    }
  }

  /**
   * The workspace that {@code caller} wants to send to. Refuses with 404 when there is none, 410
   * when it was removed, and then 403 an agent that may not talk to it (R3.4).
   */
  public DeliveryTarget requireTarget(UUID id, Caller caller) {
    DeliveryTarget target = findActive(id).target();
    targets.put(target);
    requireMayTalk(caller, own -> pairs.mayTalk(own, id, target.treeVersion()));
    return target;
  }

  /**
   * As {@link #requireTarget}, as the workspace was seen last, maybe a while ago: callers have the
   * database check its versions in the statement that relies on them. A refusal is always by a new
   * look, since the workspace may have been removed meanwhile.
   */
  public DeliveryTarget rememberedTarget(UUID id, Caller caller) {
    return targets
        .find(id)
        .filter(target -> mayTalk(caller, own -> pairs.mayTalk(own, id, target.treeVersion())))
        .orElseGet(() -> requireTarget(id, caller));
  }

  /** A workspace that is there. */
  public Optional<DeliveryTarget> target(UUID id) {
    return repository
        .presence(id)
        .filter(presence -> presence.removedAt() == null)
        .map(TargetLookup::target);
  }

  /** A peer's card as it is stored, if there is one; refuses as {@link #requireTarget}. */
  public Optional<RawJson> card(UUID id, Caller caller) {
    return Optional.ofNullable(reachable(id, caller).agentCard());
  }

  /** Refuses with 404 when there is none, and 410 when it was removed. */
  public void requirePresent(UUID id) {
    findActive(id);
  }

  /**
   * Refuses a card that names a url which a push workspace may not have (R3.3). Asks the resolver.
   */
  public void requireUsableCard(UUID id, RawJson card) {
    urls.requireCallableCard(findActive(id).target().deliveryMode(), card);
  }

  /** How these are called, removed ones included; unknown ones are missing. */
  public Map<UUID, WorkspaceLabel> labelsOf(Collection<UUID> ids) {
    return ids.isEmpty()
        ? Map.of()
        : repository.labelsOf(ids).stream()
            .collect(Collectors.toMap(WorkspaceLabel::id, Function.identity()));
  }

  /** Stores another card in the caller's transaction, and tells of it when it is another one. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void storeCard(UUID id, RawJson card) {
    if (repository.storeCard(id, card)) {
      events.record(new NewEvent(EventType.AGENT_CARD_UPDATED, id, Map.of("agent_card", card)));
    }
  }

  Workspace findForSpeaker(UUID id, Caller caller) {
    requireOwnIdOfFormer(id, caller);
    Workspace workspace = existing(id);
    AccessChecks.requireSpeakerFor(id, caller);
    return workspace;
  }

  Workspace reachable(UUID id, Caller caller) {
    Workspace workspace = existing(id);
    requireMayTalk(caller, own -> hierarchy.mayTalk(own, id));
    return workspace;
  }

  private static void requireMayTalk(Caller caller, Predicate<UUID> rule) {
    if (!mayTalk(caller, rule)) {
      throw accessDenied();
    }
  }

  private static boolean mayTalk(Caller caller, Predicate<UUID> rule) {
    return caller.readsAll() || (caller instanceof Caller.Agent(UUID own) && rule.test(own));
  }

  Workspace existing(UUID id) {
    Workspace workspace = repository.find(id).orElseThrow(() -> absent(id, repository));
    if (workspace.isRemoved()) {
      throw removed(workspace);
    }
    return workspace;
  }

  private TargetLookup findActive(UUID id) {
    TargetLookup presence = repository.presence(id).orElseThrow(() -> absent(id, repository));
    if (presence.removedAt() != null) {
      throw removed(id, presence.removedAt());
    }
    return presence;
  }

  /** A revoked token is recognised for its own id and for nothing else (R1.5). */
  static void requireOwnIdOfFormer(UUID id, Caller caller) {
    if (caller instanceof Caller.RemovedAgent(UUID own) && !own.equals(id)) {
      throw Credentials.unknown();
    }
  }

  /** For an id without a row: there never was one, or it was deleted after its removal. */
  static ProblemException absent(UUID id, WorkspaceRepository repository) {
    return repository
        .deletedRemovedAt(id)
        .map(removedAt -> removed(id, removedAt))
        .orElseGet(() ->
            new ProblemException(ErrorCode.WORKSPACE_NOT_FOUND, "there is no workspace " + id));
  }

  static ProblemException accessDenied() {
    return new ProblemException(
        ErrorCode.FORBIDDEN, "access denied: workspaces cannot communicate per hierarchy rules");
  }

  static ProblemException removed(Workspace workspace) {
    return removed(workspace.id(), workspace.removedAt());
  }

  static ProblemException removed(UUID id, @Nullable Instant removedAt) {
    Map<String, @Nullable Object> extras = new LinkedHashMap<>();
    extras.put("id", id);
    extras.put("removed_at", removedAt);
    extras.put(
        "hint",
        "the workspace was removed and its tokens with it; stop this agent, or create a new"
            + " workspace");
    return new ProblemException(
        ErrorCode.WORKSPACE_REMOVED, "the workspace " + id + " was removed", extras);
  }
}
