package dev.muster.console.history;

import dev.muster.console.fleet.BinaryAnswer;
import dev.muster.console.history.HistoryRepository.Head;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.TimeParameter;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves the fleet at a time in the past, and the changes between two times. */
@RestController
class HistoryController {

  /** Changes of a longer range take too long to sort. */
  private static final Duration MAX_WINDOW = Duration.ofDays(7);

  private static final int MAX_PERIODS = 5000;
  private static final Duration DAY = Duration.ofDays(1);

  private final HistoryRepository history;
  private final PastFleet fleet;
  private final StatusHistory.Settings settings;
  private final Workspaces workspaces;

  HistoryController(
      HistoryRepository history,
      PastFleet fleet,
      StatusHistory.Settings settings,
      Workspaces workspaces) {
    this.history = history;
    this.fleet = fleet;
    this.settings = settings;
    this.workspaces = workspaces;
  }

  /** A range within the history, and the head of the history. */
  private record Range(Instant from, Instant to, Head head) {}

  /** A status period of a workspace; {@code until} is null for its present status. */
  record StatusPeriodView(
      Instant since,
      @Nullable Instant until,
      String status,
      @Nullable String degradedReason,
      @Nullable String error) {}

  /** Returns the fleet as it was at {@code t}, in format MSF1. */
  @GetMapping("/console/fleet/at")
  @RouteAccess(CallerKind.VIEWER)
  void at(
      Caller caller,
      @RequestParam(defaultValue = "") String t,
      @RequestParam(defaultValue = "") String until,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    AccessChecks.requireReader(caller);
    Instant at = required("t", t);
    Range range = range(at, TimeParameter.read("until", until).orElse(at));
    send(
        fleet.at(range.from(), range.to(), range.head().lastSeq(), RequestOwner.of(request)),
        request,
        response);
  }

  /** Returns the status changes after {@code from} until {@code to}, in format MSC1. */
  @GetMapping("/console/fleet/changes")
  @RouteAccess(CallerKind.VIEWER)
  void changes(
      Caller caller,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    AccessChecks.requireReader(caller);
    Instant begin = required("from", from).truncatedTo(ChronoUnit.MILLIS);
    Instant end = required("to", to);
    Instant last = begin.plus(MAX_WINDOW);
    Range range = range(begin, end.isAfter(last) ? last : end);
    send(fleet.changes(range.from(), range.to(), RequestOwner.of(request)), request, response);
  }

  /** Returns the newest 5,000 status periods of a workspace in a range, oldest first. */
  @GetMapping("/console/history/{id}")
  @RouteAccess(CallerKind.VIEWER)
  List<StatusPeriodView> history(
      Caller caller,
      @PathVariable UUID id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(name = "include_removed", defaultValue = "false") boolean includeRemoved) {
    workspaces.requireReaderOf(id, caller, includeRemoved);
    Instant end = TimeParameter.read("to", to).orElseGet(() -> history.requireHead().now());
    Instant start = TimeParameter.read("from", from).orElse(end.minus(DAY));
    return fleet.periodsOf(id, start, end, MAX_PERIODS).stream()
        .map(period ->
            new StatusPeriodView(
                period.since(), period.until(), period.status(), period.reason(), period.error()))
        .toList();
  }

  private static Instant required(String name, String text) {
    return TimeParameter.read(name, text)
        .orElseThrow(() ->
            ProblemException.validation(
                name + ": missing (expected: a time such as 2026-11-21T20:00:00Z)"));
  }

  /**
   * Cuts the range at the end of the history; refuses one that begins before the history. One that
   * ends before its begin is empty.
   */
  private Range range(Instant from, Instant to) {
    Head head = history.requireHead();
    Instant oldest = head.oldest(settings.days());
    if (from.isBefore(oldest)) {
      throw new ProblemException(
          ErrorCode.HISTORY_GONE,
          "the history begins at " + oldest + " (expected: a time from then on)",
          Map.of("oldest", oldest));
    }
    Instant start = from.isAfter(head.upTo()) ? head.upTo() : from;
    Instant end = to.isAfter(head.upTo()) ? head.upTo() : to.isBefore(start) ? start : to;
    return new Range(start, end, head);
  }

  private static void send(
      BinaryAnswer answer, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setHeader(HttpHeaders.CACHE_CONTROL, "private, no-store");
    response.setHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    answer.send(request, response);
  }
}
