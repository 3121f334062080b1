package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.http.PublicUrl;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.workspace.Registration.Registered;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves registration and discovery (docs/api.md, section 3). */
@RestController
class RegistryController {

  private final Registration registration;
  private final RegistrationGate gate;
  private final WorkspaceUpdates updates;
  private final Workspaces workspaces;
  private final PeerRepository peers;
  private final Hierarchy hierarchy;
  private final HeartbeatCadence cadence;
  private final PublicUrl publicUrl;
  private final BodyReader bodies;
  private final NameWarnings names;
  private final ListResponses lists;

  RegistryController(
      Registration registration,
      RegistrationGate gate,
      WorkspaceUpdates updates,
      Workspaces workspaces,
      PeerRepository peers,
      Hierarchy hierarchy,
      HeartbeatCadence cadence,
      PublicUrl publicUrl,
      BodyReader bodies,
      NameWarnings names,
      ListResponses lists) {
    this.registration = registration;
    this.gate = gate;
    this.updates = updates;
    this.workspaces = workspaces;
    this.peers = peers;
    this.hierarchy = hierarchy;
    this.cadence = cadence;
    this.publicUrl = publicUrl;
    this.bodies = bodies;
    this.names = names;
    this.lists = lists;
  }

  record RegisteredAnswer(
      String status,
      DeliveryMode deliveryMode,
      WorkspaceStatus workspaceStatus,
      int heartbeatIntervalS,
      int staleAfterS,
      int longPollMaxS,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String authToken) {}

  /** What a peer needs to reach a workspace; {@code url} is "" when that workspace polls. */
  record FoundAnswer(
      UUID id, String name, String url, DeliveryMode deliveryMode, WorkspaceStatus status) {}

  /**
   * Registers an agent. It reads the body itself, because anonymous callers may be refused before
   * that (R1.4's order).
   */
  @PostMapping("/registry/register")
  @RouteAccess({CallerKind.ANONYMOUS, CallerKind.REMOVED_AGENT})
  RegisteredAnswer register(Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setHeader(HttpHeaders.CACHE_CONTROL, TokenController.NO_STORE);
    gate.admit(caller);
    byte[] body = bodies.read(request, BodyReader.DEFAULT_LIMIT);
    Registered registered =
        registration.register(
            caller,
            Registration.Request.read(names.parse(body, request, response)),
            RegistrationOrigin.of(request, body, publicUrl.isTls()));
    registered.delivery().warn(response);
    return new RegisteredAnswer(
        "registered",
        registered.delivery().mode(),
        registered.workspaceStatus(),
        cadence.heartbeatIntervalS(),
        cadence.staleAfterS(),
        cadence.longPollMaxS(),
        registered.authToken().orElse(null));
  }

  @PostMapping("/registry/update-card")
  Map<String, String> updateCard(Caller caller, JsonBody body) {
    UUID id = body.requiredId("workspace_id");
    RawJson card = body.requiredRawObject("agent_card");
    workspaces.requireSpeakerFor(id, caller);
    updates.replaceCard(id, card);
    return Map.of("status", "updated");
  }

  /**
   * Returns a workspace to an agent that may talk to it (R3.4 to R3.6). Refuses a sender that is
   * not the workspace of the credential.
   */
  @GetMapping("/registry/discover/{id}")
  @RouteAccess(CallerKind.VIEWER)
  FoundAnswer discover(
      Caller caller, @PathVariable UUID id, @RequestHeader("X-Workspace-ID") String sender) {
    if (!caller.reads(Ids.parse(sender))) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED,
          "X-Workspace-ID is not the workspace of this token (expected: its own workspace)");
    }
    Workspace found = workspaces.reachable(id, caller);
    return new FoundAnswer(
        found.id(), found.name(), found.url(), found.deliveryMode(), found.status());
  }

  @GetMapping("/registry/{id}/peers")
  @RouteAccess(CallerKind.VIEWER)
  void peers(
      Caller caller,
      @PathVariable UUID id,
      HttpServletRequest request,
      HttpServletResponse response,
      @RequestParam(required = false) @Nullable String q)
      throws IOException {
    workspaces.requireReaderOf(id, caller);
    Optional<String> query =
        Optional.ofNullable(q).filter(text -> !text.isEmpty()).map(Text::clean);
    lists.write(
        request, response, (after, limit) -> peers.page(id, query, after, limit), peer -> peer);
  }

  @PostMapping("/registry/check-access")
  @RouteAccess(CallerKind.PUBLIC)
  Map<String, Boolean> checkAccess(JsonBody body) {
    return Map.of(
        "allowed", hierarchy.mayTalk(body.requiredId("caller_id"), body.requiredId("target_id")));
  }
}
