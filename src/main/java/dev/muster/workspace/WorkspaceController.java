package dev.muster.workspace;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.PublicUrl;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.text.Ids;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.Text;
import dev.muster.workspace.WorkspaceRepository.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Creates, lists, reads and changes workspaces (docs/api.md, section 2). */
@RestController
class WorkspaceController {

  private final Workspaces workspaces;
  private final WorkspaceRepository repository;
  private final WorkspaceCreation creation;
  private final WorkspaceUpdates updates;
  private final Hierarchy hierarchy;
  private final SecuritySettings settings;
  private final PublicUrl publicUrl;
  private final ListResponses lists;

  WorkspaceController(
      Workspaces workspaces,
      WorkspaceRepository repository,
      WorkspaceCreation creation,
      WorkspaceUpdates updates,
      Hierarchy hierarchy,
      SecuritySettings settings,
      PublicUrl publicUrl,
      ListResponses lists) {
    this.workspaces = workspaces;
    this.repository = repository;
    this.creation = creation;
    this.updates = updates;
    this.hierarchy = hierarchy;
    this.settings = settings;
    this.publicUrl = publicUrl;
    this.lists = lists;
  }

  /** What the agent needs to register; the creator hands it to the agent. */
  record Connection(
      UUID workspaceId,
      String platformUrl,
      String authToken,
      String registryEndpoint,
      String heartbeatEndpoint,
      String activityEndpoint,
      String curlRegisterTemplate) {

    static Connection of(UUID id, String token, String base) {
      String register = base + "/registry/register";
      String curl =
          "curl -X POST %s -H 'Authorization: Bearer %s' -d '{\"id\":\"%s\",\"agent_card\":{\"name\":\"my-agent\"}}'"
              .formatted(quoted(register), token, id);
      return new Connection(
          id,
          base,
          token,
          register,
          base + "/registry/heartbeat",
          base + "/workspaces/" + id + "/activity",
          curl);
    }

    /** Quotes any text as one word of a POSIX shell. */
    private static String quoted(String word) {
      return "'" + word.replace("'", "'\\''") + "'";
    }
  }

  record CreatedAnswer(
      UUID id,
      String name,
      WorkspaceStatus status,
      DeliveryMode deliveryMode,
      String authToken,
      Connection connection) {}

  @PostMapping("/workspaces")
  @ResponseStatus(HttpStatus.CREATED)
  CreatedAnswer create(
      Caller caller, JsonBody body, HttpServletRequest request, HttpServletResponse response) {
    response.setHeader(HttpHeaders.CACHE_CONTROL, TokenController.NO_STORE);
    NewWorkspace wanted = NewWorkspace.read(body);
    AccessChecks.requireAdmin(caller);
    WorkspaceCreation.Created created = creation.create(wanted);
    created.workspace().delivery().warn(response);
    UUID id = created.workspace().id();
    return new CreatedAnswer(
        id,
        created.workspace().name(),
        WorkspaceStatus.AWAITING_AGENT,
        created.workspace().delivery().mode(),
        created.authToken(),
        Connection.of(id, created.authToken(), publicUrl.of(request)));
  }

  @GetMapping("/workspaces")
  @RouteAccess(CallerKind.VIEWER)
  void list(
      Caller caller,
      HttpServletRequest request,
      HttpServletResponse response,
      @RequestParam(required = false) @Nullable String status,
      @RequestParam(name = "parent_id", required = false) @Nullable String parentId,
      @RequestParam(required = false) @Nullable String q)
      throws IOException {
    Filter filter =
        new Filter(
            given(status).map(WorkspaceController::status),
            given(parentId).map(Ids::parse),
            given(q));
    AccessChecks.requireReader(caller);
    lists.write(
        request,
        response,
        (after, limit) -> repository.page(filter, after, limit),
        workspace -> workspace);
  }

  @GetMapping("/workspaces/{id}")
  @RouteAccess({CallerKind.VIEWER, CallerKind.ANONYMOUS, CallerKind.REMOVED_AGENT})
  Workspace read(
      Caller caller,
      @PathVariable UUID id,
      @RequestParam(name = "include_removed", defaultValue = "false") boolean includeRemoved) {
    if (caller instanceof Caller.Anonymous && !settings.security().publicWorkspaceRead()) {
      throw Credentials.missing();
    }
    Workspaces.requireOwnIdOfFormer(id, caller);
    Workspace workspace = repository.find(id).orElseThrow(() -> Workspaces.absent(id, repository));
    if (workspace.isRemoved() && !includeRemoved) {
      throw Workspaces.removed(workspace);
    }
    if (caller.reads(id)) {
      return workspace;
    }
    if (!settings.security().publicWorkspaceRead()
        && !(caller instanceof Caller.Agent(UUID own) && hierarchy.mayTalk(own, id))) {
      throw Workspaces.accessDenied();
    }
    return workspace.withoutCurrentTask();
  }

  @PatchMapping("/workspaces/{id}")
  Map<String, String> change(
      Caller caller, @PathVariable UUID id, JsonBody body, HttpServletResponse response) {
    WorkspacePatch patch = WorkspacePatch.read(body);
    Workspace workspace = workspaces.findForSpeaker(id, caller);
    patch.requireRight(caller);
    updates.patch(workspace, patch).warn(response);
    return Map.of("status", "updated");
  }

  /**
   * Returns no secrets, since Muster stores none. Agents of this protocol family request them at
   * start.
   */
  @GetMapping("/workspaces/{id}/secrets/values")
  @RouteAccess(CallerKind.VIEWER)
  Map<String, String> secrets(Caller caller, @PathVariable UUID id) {
    workspaces.requireReaderOf(id, caller);
    return Map.of();
  }

  private static Optional<String> given(@Nullable String parameter) {
    return Optional.ofNullable(parameter).filter(text -> !text.isEmpty()).map(Text::clean);
  }

  private static WorkspaceStatus status(String word) {
    return WorkspaceStatus.find(word)
        .orElseThrow(() ->
            ProblemException.validation(
                "status: not usable (expected one of: "
                    + Arrays.stream(WorkspaceStatus.values())
                        .map(WorkspaceStatus::wire)
                        .collect(Collectors.joining(", "))
                    + ")"));
  }
}
