package dev.muster.runtime;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.EnumParameter;
import dev.muster.platform.http.NextLink;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.text.Ids;
import dev.muster.runtime.FleetRuns.Filter;
import dev.muster.runtime.FleetRuns.Place;
import dev.muster.runtime.FleetRuns.RunPage;
import dev.muster.runtime.FleetRuns.RunSummary;
import dev.muster.runtime.Run.RunStatus;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves the runs of all workspaces to the admin, operators and viewers. */
@RestController
class RunListController {

  private final FleetRuns runs;

  RunListController(FleetRuns runs) {
    this.runs = runs;
  }

  @GetMapping("/admin/runtime-runs")
  @RouteAccess(CallerKind.VIEWER)
  ResponseEntity<List<RunSummary>> list(
      Caller caller,
      @RequestParam(defaultValue = "") String status,
      @RequestParam(name = "workspace_id", defaultValue = "") String workspaceId,
      @RequestParam(name = "task_name", defaultValue = "") String taskName,
      @RequestParam(defaultValue = "") String cursor,
      HttpServletRequest request) {
    AccessChecks.requireReader(caller);
    int limit = PageLimit.of(request).orElse(PageLimit.DEFAULT);
    Filter filter =
        new Filter(
            EnumParameter.read("status", status, RunStatus.values(), RunStatus::wire),
            workspaceId.isEmpty() ? Optional.empty() : Optional.of(Ids.parse(workspaceId)),
            taskName.isEmpty() ? Optional.empty() : Optional.of(TaskName.named(taskName)));
    Place after = cursor.isEmpty() ? Place.NEWEST : Place.parse(cursor);
    RunPage page = runs.page(filter, after, limit);
    return NextLink.page(page.runs(), request, "cursor", page.next().map(Place::text));
  }
}
