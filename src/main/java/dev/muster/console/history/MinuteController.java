package dev.muster.console.history;

import dev.muster.console.history.HistoryRepository.Head;
import dev.muster.console.history.MinuteRepository.Minute;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.TimeParameter;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves the number of workspaces with each status, minute by minute. */
@RestController
class MinuteController {

  private static final int MAX_POINTS = 2880;
  private static final int USUAL_POINTS = 1440;
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration DAY = Duration.ofDays(1);

  private final HistoryRepository history;
  private final MinuteRepository minutes;
  private final StatusHistory.Settings settings;
  private final WholeReads reads;

  MinuteController(
      HistoryRepository history,
      MinuteRepository minutes,
      StatusHistory.Settings settings,
      WholeReads reads) {
    this.history = history;
    this.minutes = minutes;
    this.settings = settings;
    this.reads = reads;
  }

  /**
   * The fleet by minutes, as columns of one length. A point of several minutes has the worst value
   * of them.
   *
   * @param at the points, in seconds since 1970
   * @param status the number of workspaces with each status
   */
  record MinutesView(
      Instant from,
      Instant to,
      long stepS,
      Instant oldest,
      Instant upTo,
      List<Long> at,
      Map<String, List<Integer>> status,
      List<Long> transitions,
      List<@Nullable Long> events,
      List<@Nullable Integer> heartbeats,
      List<@Nullable Integer> queued,
      List<@Nullable Integer> inFlight) {}

  /** Returns the fleet by minutes; without a step, about 1,440 points. */
  @GetMapping("/console/fleet/minutes")
  @RouteAccess(CallerKind.VIEWER)
  MinutesView minutes(
      Caller caller,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(defaultValue = "") String step,
      HttpServletRequest request) {
    AccessChecks.requireReader(caller);
    Head head = history.requireHead();
    Instant end = TimeParameter.read("to", to).orElse(head.minutesTo().plus(MINUTE));
    Instant begin = TimeParameter.read("from", from).orElse(end.minus(DAY));
    Instant start = begin.isAfter(end) ? end : begin;
    Duration by = step(step, Duration.between(start, end));
    Instant first = start.equals(end) ? end : start.truncatedTo(ChronoUnit.MINUTES);
    List<Minute> read = reads.run(RequestOwner.of(request), () -> minutes.read(first, end, by));
    return new MinutesView(
        first,
        end,
        by.toSeconds(),
        head.oldest(settings.days()),
        head.upTo(),
        column(read, one -> one.minute().getEpochSecond()),
        statuses(read),
        column(read, Minute::transitions),
        column(read, Minute::events),
        column(read, Minute::heartbeats),
        column(read, Minute::queued),
        column(read, Minute::inFlight));
  }

  private static Duration step(String minutes, Duration length) {
    return minutes.isEmpty()
        ? shortest(length, USUAL_POINTS)
        : Collections.max(List.of(given(minutes), shortest(length, MAX_POINTS)));
  }

  /** Returns the whole minutes of a point, of which so many are as long as the range. */
  private static Duration shortest(Duration length, long points) {
    long minutes = Math.ceilDiv(length.toSeconds(), MINUTE.toSeconds() * points);
    return MINUTE.multipliedBy(Math.max(1, minutes));
  }

  private static Duration given(String minutes) {
    if (!minutes.matches("[1-9][0-9]{0,4}")) {
      throw ProblemException.validation(
          "step: not usable (expected: whole minutes, from 1 to 99999)");
    }
    return Duration.ofMinutes(Integer.parseInt(minutes));
  }

  private static Map<String, List<Integer>> statuses(List<Minute> read) {
    Map<String, List<Integer>> statuses = new LinkedHashMap<>();
    statuses.put("awaiting_agent", column(read, Minute::awaitingAgent));
    statuses.put("online", column(read, Minute::online));
    statuses.put("degraded", column(read, Minute::degraded));
    statuses.put("offline", column(read, Minute::offline));
    statuses.put("paused", column(read, Minute::paused));
    statuses.put("failed", column(read, Minute::failed));
    statuses.put("other", column(read, Minute::other));
    return statuses;
  }

  private static <T extends @Nullable Object> List<T> column(
      List<Minute> read, Function<Minute, T> value) {
    return read.stream().map(value).toList();
  }
}
