package dev.muster.workspace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.A2aVersion;
import dev.muster.workspace.WorkspaceRepository.FoundTarget;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
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

/** Finds workspaces and checks the caller's rights, for the other modules. */
@Service
public class Workspaces {

  /** Holds a workspace's id, name and role, for display. */
  public record WorkspaceLabel(UUID id, String name, @Nullable String role) {}

  private static final int MAX_CACHED_TARGETS = 50_000;

  private final WorkspaceRepository repository;
  private final Hierarchy hierarchy;
  private final AgentUrls urls;
  private final Events events;

  /** Targets as last read, which may be outdated. */
  private final Cache<UUID, DeliveryTarget> targets =
      Caffeine.newBuilder().maximumSize(MAX_CACHED_TARGETS).build();

  Workspaces(WorkspaceRepository repository, Hierarchy hierarchy, AgentUrls urls, Events events) {
    this.repository = repository;
    this.hierarchy = hierarchy;
    this.urls = urls;
    this.events = events;
  }

  /**
   * Requires a caller that speaks for the workspace. Refuses with 404 when there is no workspace,
   * 410 when it was removed, and then 403 (R1.4's order).
   */
  public void requireSpeakerFor(UUID id, Caller caller) {
    requireOwnIdOfFormer(id, caller);
    findActive(id);
    AccessChecks.requireSpeakerFor(id, caller);
  }

  /** As {@link #requireSpeakerFor}, but also admits viewers; for routes that only read (R1.7). */
  public void requireReaderOf(UUID id, Caller caller) {
    requireOwnIdOfFormer(id, caller);
    findActive(id);
    AccessChecks.requireReaderOf(id, caller);
  }

  /** As above; with {@code includeRemoved}, readers of all workspaces also read a removed one. */
  public void requireReaderOf(UUID id, Caller caller, boolean includeRemoved) {
    boolean alsoRemoved = includeRemoved && caller.readsAll();
    if (!alsoRemoved || labelsOf(List.of(id)).isEmpty()) {
      requireReaderOf(id, caller);
    }
  }

  /** As {@link #requireTrustedSpeakerFor}, but also admits viewers; for routes that only read. */
  public void requireTrustedReaderOf(UUID id, Caller caller) {
    if (!caller.equals(new Caller.Agent(id))) {
      requireReaderOf(id, caller);
    }
  }

  /**
   * As {@link #requireSpeakerFor}, but without a query for a workspace's own token. That token may
   * stay valid for at most a few seconds after the removal (R1.6). Use it only where a request that
   * late does no harm.
   */
  public void requireTrustedSpeakerFor(UUID id, Caller caller) {
    if (!caller.equals(new Caller.Agent(id))) {
      requireSpeakerFor(id, caller);
    }
  }

  /**
   * Returns the workspace that {@code caller} wants to send to. Refuses with 404 when there is no
   * workspace, 410 when it was removed, and then 403 when the caller may not talk to it (R3.4).
   */
  public DeliveryTarget requireTarget(UUID id, Caller caller) {
    DeliveryTarget target = findActive(id).target();
    targets.put(id, target);
    requireMayTalk(caller, own -> hierarchy.mayTalk(own, id, target.treeVersion()));
    return target;
  }

  /**
   * As {@link #requireTarget}, but from a cache that may be outdated. The caller must have the
   * database check the versions of {@link DeliveryTarget} in the statement that relies on them.
   * Before a refusal the workspace is read again, because it may have been removed meanwhile.
   */
  public DeliveryTarget rememberedTarget(UUID id, Caller caller) {
    return Optional.ofNullable(targets.getIfPresent(id))
        .filter(target -> mayTalk(caller, own -> hierarchy.mayTalk(own, id, target.treeVersion())))
        .orElseGet(() -> requireTarget(id, caller));
  }

  /** Returns those workspaces by their ids that exist and are not removed. */
  public Map<UUID, DeliveryTarget> targets(Collection<UUID> ids) {
    return repository.findTargets(ids).stream()
        .filter(found -> found.removedAt() == null)
        .map(FoundTarget::target)
        .collect(Collectors.toMap(DeliveryTarget::id, target -> target));
  }

  /**
   * Stores the version of A2A in which the agent took a message, after it refused another one. Does
   * nothing if it is stored already. Remembered targets are outdated then, and read again.
   */
  public void learned(UUID id, A2aVersion version) {
    if (repository.storeProtocol(id, Optional.of(version))) {
      targets.invalidate(id);
    }
  }

  /** Returns a peer's stored card, if there is one; refuses as {@link #requireTarget}. */
  public Optional<RawJson> card(UUID id, Caller caller) {
    return Optional.ofNullable(reachable(id, caller).agentCard());
  }

  /** Refuses with 404 when there is no workspace, and 410 when it was removed. */
  public void requirePresent(UUID id) {
    findActive(id);
  }

  /** Refuses a card whose url a push workspace may not have (R3.3). It resolves the host's name. */
  public void requireUsableCard(UUID id, RawJson card) {
    urls.requireCallable(findActive(id).target().deliveryMode(), "", Optional.of(card));
  }

  /** Returns labels by workspace id, removed workspaces included; unknown ids are absent. */
  public Map<UUID, WorkspaceLabel> labelsOf(Collection<UUID> ids) {
    return ids.isEmpty()
        ? Map.of()
        : repository.labelsOf(ids).stream()
            .collect(Collectors.toMap(WorkspaceLabel::id, Function.identity()));
  }

  /**
   * Returns a workspace and its descendants, without removed ones. Refuses with 404 when there is
   * no workspace, 410 when it was removed.
   */
  public List<UUID> branchOf(UUID id) {
    findActive(id);
    return hierarchy.branch(id);
  }

  /** Stores a card in the caller's transaction, and records an event if the card differs. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void storeCard(UUID id, RawJson card) {
    Optional<String> url = repository.storeCard(id, card);
    if (url.isPresent()) {
      repository.storeProtocol(id, AgentCard.of(card).versionAt(url.get()));
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

  private FoundTarget findActive(UUID id) {
    FoundTarget found =
        repository.findTargets(List.of(id)).stream()
            .findFirst()
            .orElseThrow(() -> absent(id, repository));
    if (found.removedAt() != null) {
      throw removed(id, found.removedAt());
    }
    return found;
  }

  /** Refuses an id other than that of the removed workspace whose token the caller holds (R1.5). */
  static void requireOwnIdOfFormer(UUID id, Caller caller) {
    if (caller instanceof Caller.RemovedAgent(UUID own) && !own.equals(id)) {
      throw Credentials.unknown();
    }
  }

  /** Returns the refusal for an id without a row: unknown, or deleted after its removal. */
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
