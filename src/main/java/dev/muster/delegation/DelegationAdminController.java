package dev.muster.delegation;

import dev.muster.delegation.DelegationSweeper.SweepReport;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves the whole ledger to operators (R8.9). */
@RestController
class DelegationAdminController {

  private static final String IN_FLIGHT = "in_flight";
  private static final int HIGHEST_LIMIT = 1000;

  private final DelegationRepository repository;
  private final DelegationQueries lists;
  private final ListResponses responses;
  private final DelegationSweeper sweeper;

  DelegationAdminController(
      DelegationRepository repository,
      DelegationQueries lists,
      ListResponses responses,
      DelegationSweeper sweeper) {
    this.repository = repository;
    this.lists = lists;
    this.responses = responses;
    this.sweeper = sweeper;
  }

  @GetMapping("/admin/delegations")
  @RouteAccess(CallerKind.VIEWER)
  void list(
      Caller caller,
      @RequestParam(defaultValue = IN_FLIGHT) String status,
      @RequestParam(defaultValue = "") String limit,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    AccessChecks.requireReader(caller);
    Optional<DelegationStatus> one = statusOf(status);
    responses.writePage(
        request,
        response,
        limit(limit),
        (after, most) -> lists.ofAll(one, after, most),
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
      if (limit >= 1 && limit <= HIGHEST_LIMIT) {
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
  Map<String, Long> stats(Caller caller) {
    AccessChecks.requireReader(caller);
    Map<String, Long> stats = new LinkedHashMap<>();
    repository.groups().forEach((status, group) -> stats.put(status.wire(), group.delegations()));
    return stats;
  }

  @PostMapping("/admin/delegations/sweep")
  SweepReport sweep(Caller caller) {
    AccessChecks.requireAdmin(caller);
    return RequestDeadline.without(sweeper::sweep); // the sweep has no time limit (R1.8)
  }
}
