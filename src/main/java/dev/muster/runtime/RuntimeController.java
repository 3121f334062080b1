package dev.muster.runtime;

import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.http.NextLink;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.runtime.StreamWriter.EventSubmission;
import dev.muster.runtime.StreamWriter.SubmissionResult;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Accepts the runtime events of workspaces; serves events and runs (docs/api.md, section 9). */
@RestController
class RuntimeController {

  private static final int MAX_POST_BYTES = 1024 * BodyReader.KIB;

  /** A replayed event: the submitted envelope with its id, time and run id. */
  record RuntimeEventView(UUID id, Instant createdAt, UUID runId, String type, RawJson payload) {

    static RuntimeEventView of(StoredEvent event) {
      return new RuntimeEventView(
          event.id(), event.createdAt(), event.runId(), event.type(), event.payload());
    }
  }

  private final Workspaces workspaces;
  private final RuntimeEventIngest ingest;
  private final StreamReader reader;
  private final BodyReader bodies;
  private final NameWarnings names;

  RuntimeController(
      Workspaces workspaces,
      RuntimeEventIngest ingest,
      StreamReader reader,
      BodyReader bodies,
      NameWarnings names) {
    this.workspaces = workspaces;
    this.ingest = ingest;
    this.reader = reader;
    this.bodies = bodies;
    this.names = names;
  }

  record Accepted(int accepted) {}

  @PostMapping("/workspaces/{id}/runtime-events")
  @ResponseStatus(HttpStatus.ACCEPTED)
  Accepted accept(
      Caller caller,
      @PathVariable UUID id,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    JsonNode body = LosslessJson.parse(bodies.read(request, MAX_POST_BYTES));
    names.look(body, request, response);
    EventSubmission submission = new EventSubmission(id, RuntimeEnvelope.readAll(body));
    if (submission.envelopes().isEmpty()) {
      workspaces.requireReaderOf(id, caller);
      return new Accepted(0);
    }
    workspaces.requireTrustedSpeakerFor(id, caller);
    return switch (ingest.add(submission)) {
      case SubmissionResult.Accepted(int events) -> new Accepted(events);
      case SubmissionResult.NoWorkspace() -> {
        workspaces.requirePresent(id);
        throw ProblemException.unavailable("the workspace is being changed; try again");
      }
    };
  }

  @GetMapping("/workspaces/{id}/runtime-runs")
  @RouteAccess(CallerKind.VIEWER)
  ResponseEntity<List<RunView>> runs(
      Caller caller,
      @PathVariable UUID id,
      @RequestParam(name = "task_name", required = false) @Nullable String taskName,
      @RequestParam(name = "cursor", defaultValue = "") String cursor,
      @RequestParam(name = "include_removed", defaultValue = "false") boolean includeRemoved,
      HttpServletRequest request) {
    int limit = PageLimit.of(request).orElse(PageLimit.DEFAULT);
    Optional<PageCursor> after =
        cursor.isEmpty() ? Optional.empty() : Optional.of(PageCursor.parse(cursor));
    workspaces.requireReaderOf(id, caller, includeRemoved);
    Page<RunView> page =
        reader.runs(id, Optional.ofNullable(taskName).map(TaskName::named), after, limit);
    return NextLink.page(
        page.items(), request, "cursor", Optional.ofNullable(page.next()).map(PageCursor::text));
  }

  @GetMapping("/workspaces/{id}/runtime-events")
  @RouteAccess(CallerKind.VIEWER)
  ResponseEntity<List<RuntimeEventView>> events(
      Caller caller,
      @PathVariable UUID id,
      @RequestParam(name = "since_id", defaultValue = "") String sinceId,
      @RequestParam(name = "include_removed", defaultValue = "false") boolean includeRemoved,
      HttpServletRequest request) {
    int limit = PageLimit.of(request).orElse(PageLimit.DEFAULT);
    workspaces.requireReaderOf(id, caller, includeRemoved);
    Optional<UUID> since = sinceId.isEmpty() ? Optional.empty() : Optional.of(eventId(sinceId));
    List<RuntimeEventView> events =
        reader.events(id, since, limit).stream().map(RuntimeEventView::of).toList();
    return NextLink.page(
        events,
        request,
        "since_id",
        events.isEmpty() ? Optional.empty() : Optional.of(events.getLast().id().toString()));
  }

  /** Parses an event id; text that is no id is answered like an unknown event (R6.2). */
  private static UUID eventId(String text) {
    try {
      return Ids.parse(text.strip());
    } catch (ProblemException notAnId) {
      throw StreamReader.gone();
    }
  }
}
