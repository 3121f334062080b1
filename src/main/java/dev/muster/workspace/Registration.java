package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Caller;
import dev.muster.identity.Tokens;
import dev.muster.identity.Tokens.Minted;
import dev.muster.platform.http.Quota;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.RawJson;
import dev.muster.workspace.StatusRepository.StatusRow;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Registers agents (R3.1 and R3.2). */
@Service
class Registration {

  /** How many registrations are stored at the same time. */
  static final int MAX_CONCURRENT = 4;

  private static final Duration SLOT_TIMEOUT = Duration.ofSeconds(3);

  private static final String NO_SLOT =
      "too many agents register at the same time; try again in a few seconds";

  /** The limit of decisions, since the workspace may change between a decision and the store. */
  private static final int MAX_DECISIONS = 5;

  /** The data an agent sends to register. */
  record Request(
      UUID id, RawJson agentCard, Optional<String> url, Optional<DeliveryMode> deliveryMode) {

    static Request read(JsonBody body) {
      return new Request(
          body.requiredId("id"),
          body.requiredRawObject("agent_card"),
          body.text("url", AgentUrls.MAX_LENGTH).filter(url -> !url.isEmpty()),
          DeliveryMode.sent(body));
    }
  }

  /** The result of a registration, with a token only when one was minted. */
  record Registered(
      DeliveryChoice delivery, WorkspaceStatus workspaceStatus, Optional<String> authToken) {}

  /**
   * The workspace before its registration is stored; its row is locked.
   *
   * @param stored empty for a new workspace
   * @param lostToken the unused token that the same request obtained before
   */
  private record Before(
      StatusRow row, String name, Optional<Workspace> stored, Optional<UUID> lostToken) {

    WorkspaceStatus status() {
      return row.status();
    }

    boolean isNew() {
      return stored.isEmpty();
    }

    DeliveryMode mode() {
      return stored.map(Workspace::deliveryMode).orElse(DeliveryMode.POLL);
    }

    /** Whether the delivery was chosen by what is stored now. */
    boolean isAsSeen(Optional<Workspace> seen) {
      return stored.isEmpty()
          || seen.filter(one ->
                  one.deliveryMode() == stored.get().deliveryMode()
                      && one.modeSaid() == stored.get().modeSaid()
                      && one.url().equals(stored.get().url()))
              .isPresent();
    }
  }

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final RegistrationRepository registrations;
  private final RegistrationGate gate;
  private final AgentUrls urls;
  private final TokenMinting minting;
  private final Tokens tokens;
  private final WorkspaceChanges changes;
  private final Events events;
  private final StatusTransitionMetrics transitions;
  private final TransactionTemplate transactions;

  /** A fleet that comes back registers at once, and must leave connections to others. */
  private final Quota slots = new Quota(MAX_CONCURRENT);

  Registration(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      RegistrationRepository registrations,
      RegistrationGate gate,
      AgentUrls urls,
      TokenMinting minting,
      Tokens tokens,
      WorkspaceChanges changes,
      Events events,
      StatusTransitionMetrics transitions,
      TransactionTemplate transactions) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.registrations = registrations;
    this.gate = gate;
    this.urls = urls;
    this.minting = minting;
    this.tokens = tokens;
    this.changes = changes;
    this.events = events;
    this.transitions = transitions;
    this.transactions = transactions;
  }

  Registered register(Caller caller, Request request, RegistrationOrigin origin) {
    for (int i = 0; i < MAX_DECISIONS; i++) {
      Optional<Workspace> seen = workspaces.find(request.id());
      gate.admit(caller, request.id(), seen, origin);
      DeliveryChoice delivery = delivery(request, seen);
      Optional<Registered> registered =
          slots.run(
              RequestOwner.current(),
              SLOT_TIMEOUT,
              NO_SLOT,
              () ->
                  transactions.execute(status -> {
                    Before before =
                        created(request).orElseGet(() -> locked(caller, request.id(), origin));
                    if (before.isAsSeen(seen)) {
                      return Optional.of(store(caller, request, origin, before, delivery));
                    }
                    status.setRollbackOnly();
                    return Optional.empty();
                  }));
      if (registered.isPresent()) {
        return registered.get();
      }
    }
    throw ProblemException.unavailable(
        "the workspace " + request.id() + " changes too often right now; register again later");
  }

  /** Chooses before the transaction, because it resolves host names. */
  private DeliveryChoice delivery(Request request, Optional<Workspace> stored) {
    DeliveryChoice delivery =
        DeliveryChoice.of(
            request.deliveryMode(), request.url(), stored, Optional.of(request.agentCard()));
    if (delivery.mode() == DeliveryMode.PUSH && !DeliveryMode.isUsable(delivery.url())) {
      throw ProblemException.validation(
          "url is missing (expected: an http or https url, here or for JSONRPC in agent_card; or"
              + " delivery_mode \"poll\" for an agent without one)");
    }
    urls.requireCallable(delivery.mode(), delivery.url(), Optional.of(request.agentCard()));
    return delivery;
  }

  private Registered store(
      Caller caller,
      Request request,
      RegistrationOrigin origin,
      Before before,
      DeliveryChoice delivery) {
    UUID id = request.id();
    AuditTrail.addTarget(id);
    WorkspaceStatus now =
        before.status() == WorkspaceStatus.PAUSED ? before.status() : WorkspaceStatus.ONLINE;
    Instant since = statuses.recordRegistration(before.row(), now);
    boolean newCard = workspaces.storeRegistration(id, request.agentCard(), delivery);
    if (before.mode() != delivery.mode()) {
      changes.deliveryModeChanged(id, delivery.mode());
    }
    changes.registered(id);
    recordEvents(before, now, since, request, delivery, newCard);
    return new Registered(delivery, now, token(caller, before, origin));
  }

  /** Creates the workspace; empty when it exists, or existed and was removed. */
  private Optional<Before> created(Request request) {
    UUID id = request.id();
    String name = AgentCard.of(request.agentCard()).name().orElse(id.toString());
    NewWorkspace workspace = NewWorkspace.ofRegistration(id, name);
    if (!workspaces.insert(workspace)) {
      return Optional.empty();
    }
    StatusRow row = new StatusRow(id, WorkspaceStatus.AWAITING_AGENT, statuses.insert(id));
    changes.created(id);
    return Optional.of(new Before(row, name, Optional.empty(), Optional.empty()));
  }

  /** Locks the workspace and decides again whether the caller may register it. */
  private Before locked(Caller caller, UUID id, RegistrationOrigin origin) {
    StatusRow row = statuses.lock(id).orElseThrow(() -> Workspaces.absent(id, workspaces));
    Workspace stored = workspaces.find(id).orElseThrow(() -> Workspaces.absent(id, workspaces));
    Optional<UUID> lost = gate.admit(caller, id, Optional.of(stored), origin);
    return new Before(row, stored.name(), Optional.of(stored), lost);
  }

  /**
   * Mints a token for an anonymous caller or a new workspace. For an anonymous caller it also
   * stores the request's origin, to recognise a repeated request (R3.1).
   */
  private Optional<String> token(Caller caller, Before before, RegistrationOrigin origin) {
    UUID id = before.row().workspaceId();
    if (caller instanceof Caller.Anonymous) {
      before.lostToken().ifPresent(tokenId -> replace(id, tokenId));
      // a new workspace is locked already, and has no tokens to count
      Minted minted = before.isNew() ? tokens.mint(id) : minting.mint(id);
      registrations.recordOpen(id, origin, minted.id());
      return Optional.of(minted.token());
    }
    if (!caller.equals(new Caller.Agent(id))) {
      registrations.recordByAdmin(id);
    }
    return before.isNew() ? Optional.of(tokens.mint(id).token()) : Optional.empty();
  }

  private void replace(UUID id, UUID tokenId) {
    if (!tokens.revokeUnused(id, tokenId)) {
      throw RegistrationGate.registeredBefore(id);
    }
  }

  private void recordEvents(
      Before before,
      WorkspaceStatus now,
      Instant since,
      Request request,
      DeliveryChoice delivery,
      boolean newCard) {
    UUID id = request.id();
    if (before.status() != now) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("name", before.name());
      fields.put("url", delivery.url());
      fields.put("agent_card", request.agentCard());
      fields.put("delivery_mode", delivery.mode());
      fields.put("recovered_from", before.status());
      events.record(
          LifecycleEvents.of(
              EventType.WORKSPACE_ONLINE, id, before.status(), now, since, null, fields));
      transitions.publishAfterCommit(id, before.status(), now, "registration");
    } else if (now == WorkspaceStatus.ONLINE) {
      recordChanges(before, request, delivery, newCard);
    }
  }

  /** Records what a registration of an online agent changes. */
  private void recordChanges(
      Before before, Request request, DeliveryChoice delivery, boolean newCard) {
    UUID id = request.id();
    Map<String, @Nullable Object> changed = new LinkedHashMap<>();
    WorkspacePatch.note(
        changed, "url", before.stored().map(Workspace::url).orElse(""), delivery.url());
    WorkspacePatch.note(changed, "delivery_mode", before.mode(), delivery.mode());
    if (!changed.isEmpty()) {
      events.record(new NewEvent(EventType.WORKSPACE_UPDATED, id, changed));
    }
    if (newCard) {
      events.record(
          new NewEvent(
              EventType.AGENT_CARD_UPDATED, id, Map.of("agent_card", request.agentCard())));
    }
  }
}
