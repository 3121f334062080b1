package dev.muster.delegation;

import dev.muster.delegation.DelegationGraph.Graph;
import dev.muster.delegation.DelegationSweeper.SweepReport;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves the whole ledger to operators (R8.9). */
@RestController
class DelegationAdminController {

  private static final String IN_FLIGHT = "in_flight";
  private static final int MAX_LIMIT = 1000;
  private static final Pattern WINDOW = Pattern.compile("([0-9]{1,5})([mhd])");
  private static final Duration MIN_WINDOW = Duration.ofMinutes(1);
  private static final Duration MAX_WINDOW = Duration.ofDays(30);

  private final DelegationRepository repository;
  private final DelegationQueries queries;
  private final ListResponses responses;
  private final DelegationSweeper sweeper;
  private final DelegationGraph graph;
  private final Workspaces workspaces;
  private final WholeReads reads;

  DelegationAdminController(
      DelegationRepository repository,
      DelegationQueries queries,
      ListResponses responses,
      DelegationSweeper sweeper,
      DelegationGraph graph,
      Workspaces workspaces,
      WholeReads reads) {
    this.repository = repository;
    this.queries = queries;
    this.responses = responses;
    this.sweeper = sweeper;
    this.graph = graph;
    this.workspaces = workspaces;
    this.reads = reads;
  }

  @GetMapping("/admin/delegations")
  @RouteAccess(CallerKind.VIEWER)
  void list(
      Caller caller,
      @RequestParam(defaultValue = IN_FLIGHT) String status,
      @RequestParam(name = "workspace_id", defaultValue = "") String workspaceId,
      @RequestParam(defaultValue = "") String limit,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    AccessChecks.requireReader(caller);
    Optional<DelegationStatus> one = statusOf(status);
    Optional<UUID> side =
        workspaceId.isEmpty() ? Optional.empty() : Optional.of(Ids.parse(workspaceId));
    responses.writePage(
        request,
        response,
        limit(limit),
        (after, most) ->
            side.isPresent()
                ? queries.ofSide(side.get(), one, after, most)
                : queries.ofAll(one, after, most),
        Function.identity());
  }

  /** Parses the status; empty for all delegations in flight. */
  private static Optional<DelegationStatus> statusOf(String word) {
    return switch (word) {
      case IN_FLIGHT, "" -> Optional.empty();
      case "stuck" -> Optional.of(DelegationStatus.STUCK);
      case "failed" -> Optional.of(DelegationStatus.FAILED);
      case "completed" -> Optional.of(DelegationStatus.COMPLETED);
      default ->
          throw ProblemException.validation(
              "status must be one of: in_flight, stuck, failed, completed");
    };
  }

  private static int limit(String text) {
    try {
      int limit = text.isEmpty() ? PageLimit.DEFAULT : Integer.parseInt(text);
      if (limit >= 1 && limit <= MAX_LIMIT) {
        return limit;
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the error message that both cases share
    }
    throw ProblemException.validation("limit must be a whole number from 1 to 1000");
  }

  /** Returns the number of delegations per status. */
  @GetMapping("/admin/delegations/stats")
  @RouteAccess(CallerKind.VIEWER)
  Map<String, Long> stats(Caller caller, HttpServletRequest request) {
    AccessChecks.requireReader(caller);
    Map<String, Long> stats = new LinkedHashMap<>();
    Map<DelegationStatus, DelegationRepository.Group> groups =
        reads.run(RequestOwner.of(request), repository::groups);
    groups.forEach((status, group) -> stats.put(status.wire(), group.delegations()));
    return stats;
  }

  /** Returns who delegates to whom. */
  @GetMapping("/admin/delegations/graph")
  @RouteAccess(CallerKind.VIEWER)
  Graph graph(
      Caller caller,
      @RequestParam(defaultValue = "24h") String window,
      @RequestParam(defaultValue = "") String under,
      HttpServletRequest request) {
    Duration span = window(window);
    Optional<UUID> top = under.isEmpty() ? Optional.empty() : Optional.of(Ids.parse(under));
    AccessChecks.requireReader(caller);
    return reads.run(
        RequestOwner.of(request),
        () -> graph.of(span, top.map(id -> Set.copyOf(workspaces.branchOf(id))).orElse(null)));
  }

  private static Duration window(String text) {
    Matcher window = WINDOW.matcher(text.isEmpty() ? "24h" : text);
    if (window.matches()) {
      long number = Long.parseLong(String.valueOf(window.group(1)));
      Duration span =
          switch (String.valueOf(window.group(2))) {
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          };
      return Collections.min(List.of(MAX_WINDOW, Collections.max(List.of(MIN_WINDOW, span))));
    }
    throw ProblemException.validation(
        "window: not usable (expected: minutes, hours or days up to 30d, such as 15m, 1h or 7d)");
  }

  @PostMapping("/admin/delegations/sweep")
  SweepReport sweep(Caller caller) {
    AccessChecks.requireAdmin(caller);
    return RequestDeadline.without(sweeper::sweep); // the sweep has no time limit (R1.8)
  }
}
