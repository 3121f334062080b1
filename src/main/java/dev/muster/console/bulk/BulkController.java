package dev.muster.console.bulk;

import dev.muster.console.bulk.BulkRun.Item;
import dev.muster.console.bulk.BulkRun.Outcome;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.EnumParameter;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
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

/** Changes many workspaces at once, for operators (docs/api.md, section 11). */
@RestController
class BulkController {

  /** Enough for the ids of {@link BulkRequest#MAX_IDS} workspaces. */
  private static final int MAX_BODY_BYTES = 4 * 1024 * BodyReader.KIB;

  private final BulkRuns bulk;
  private final BulkRunRepository runs;
  private final Workspaces workspaces;
  private final BodyReader bodies;
  private final NameWarnings names;
  private final ListResponses responses;
  private final WholeReads reads;

  BulkController(
      BulkRuns bulk,
      BulkRunRepository runs,
      Workspaces workspaces,
      BodyReader bodies,
      NameWarnings names,
      ListResponses responses,
      WholeReads reads) {
    this.bulk = bulk;
    this.runs = runs;
    this.workspaces = workspaces;
    this.bodies = bodies;
    this.names = names;
    this.responses = responses;
    this.reads = reads;
  }

  /** Starts a run; with {@code dry_run} it only returns what a run would do. */
  @PostMapping("/admin/bulk")
  ResponseEntity<?> start(
      Caller caller,
      @RequestParam(name = "dry_run", defaultValue = "false") boolean dryRun,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    AccessChecks.requireAdmin(caller);
    BulkRequest wanted =
        BulkRequest.read(names.parse(bodies.read(request, MAX_BODY_BYTES), request, response));
    return reads.run(
        RequestOwner.of(request),
        () ->
            dryRun
                ? ResponseEntity.ok(bulk.preview(wanted))
                : ResponseEntity.status(HttpStatus.ACCEPTED).body(bulk.start(wanted, caller)));
  }

  @GetMapping("/admin/bulk")
  @RouteAccess(CallerKind.VIEWER)
  void list(Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    AccessChecks.requireReader(caller);
    responses.writePage(
        request, response, PageLimit.of(request).orElse(PageLimit.DEFAULT), runs::page, run -> run);
  }

  /** An outcome, with the name of its workspace; the name is null once the workspace is deleted. */
  record NamedItem(
      int position,
      UUID workspaceId,
      @Nullable String name,
      Outcome outcome,
      @Nullable String code,
      @Nullable String detail) {}

  /**
   * A run with some of its outcomes.
   *
   * @param next the cursor of the next page; null on the last
   */
  record BulkRunView(BulkRun run, List<NamedItem> items, @Nullable Integer next) {}

  @GetMapping("/admin/bulk/{bulkId}")
  @RouteAccess(CallerKind.VIEWER)
  BulkRunView read(
      Caller caller,
      @PathVariable UUID bulkId,
      @RequestParam(defaultValue = "") String outcome,
      @RequestParam(defaultValue = "") String cursor,
      HttpServletRequest request) {
    AccessChecks.requireReader(caller);
    Optional<Outcome> wanted =
        EnumParameter.read("outcome", outcome, Outcome.values(), Outcome::wire);
    int limit = PageLimit.of(request).orElse(PageLimit.DEFAULT);
    BulkRun run = bulk.find(bulkId);
    List<Item> found = runs.items(bulkId, wanted, position(cursor), limit + 1);
    List<Item> items = found.subList(0, Math.min(limit, found.size()));
    @Nullable Integer next = found.size() > limit ? items.getLast().position() : null;
    return new BulkRunView(run, named(items), next);
  }

  private List<NamedItem> named(List<Item> items) {
    Map<UUID, WorkspaceLabel> labels =
        workspaces.labelsOf(items.stream().map(Item::workspaceId).toList());
    return items.stream()
        .map(item -> {
          @Nullable WorkspaceLabel label = labels.get(item.workspaceId());
          return new NamedItem(
              item.position(),
              item.workspaceId(),
              label == null ? null : label.name(),
              item.outcome(),
              item.code(),
              item.detail());
        })
        .toList();
  }

  private static int position(String cursor) {
    if (cursor.isEmpty()) {
      return 0;
    }
    if (!cursor.matches("[0-9]{1,9}")) {
      throw ProblemException.validation(
          "cursor: not one of this list (expected: the next of the last page)");
    }
    return Integer.parseInt(cursor);
  }

  @PostMapping("/admin/bulk/{bulkId}/cancel")
  BulkRun cancel(Caller caller, @PathVariable UUID bulkId) {
    AccessChecks.requireAdmin(caller);
    bulk.find(bulkId);
    return bulk.cancel(bulkId);
  }

  @PostMapping("/admin/bulk/{bulkId}/undo")
  @ResponseStatus(HttpStatus.ACCEPTED)
  BulkRun undo(Caller caller, @PathVariable UUID bulkId) {
    AccessChecks.requireAdmin(caller);
    return bulk.undo(bulkId, caller);
  }
}
