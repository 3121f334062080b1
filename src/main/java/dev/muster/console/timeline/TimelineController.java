package dev.muster.console.timeline;

import dev.muster.console.timeline.Timeline.Query;
import dev.muster.console.timeline.Timeline.TimelinePage;
import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.http.TimeParameter;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves the timeline of a workspace. */
@RestController
class TimelineController {

  private static final int MAX_ENTRIES = 500;

  private final Workspaces workspaces;
  private final Timeline timeline;

  TimelineController(Workspaces workspaces, Timeline timeline) {
    this.workspaces = workspaces;
    this.timeline = timeline;
  }

  /**
   * Returns a page, newest first.
   *
   * @param before the {@code next} of the previous page, or a time
   */
  @GetMapping("/console/timeline/{id}")
  @RouteAccess(CallerKind.VIEWER)
  TimelinePage read(
      Caller caller,
      @PathVariable UUID id,
      @RequestParam(defaultValue = "") String before,
      @RequestParam(defaultValue = "") String after,
      @RequestParam(defaultValue = "") String kinds,
      HttpServletRequest request) {
    int limit = Math.min(PageLimit.of(request).orElse(PageLimit.DEFAULT), MAX_ENTRIES);
    Optional<Instant> time = TimeParameter.parse(before);
    Query query =
        new Query(
            before.isEmpty() || time.isPresent()
                ? Optional.empty()
                : Optional.of(TimelineCursor.parse(before)),
            time,
            TimeParameter.read("after", after),
            kinds(kinds),
            limit);
    workspaces.requireReaderOf(id, caller);
    return timeline.read(id, query);
  }

  private static Set<Kind> kinds(String words) {
    if (words.isBlank()) {
      return EnumSet.allOf(Kind.class);
    }
    return Arrays.stream(words.strip().split("\\s*,\\s*"))
        .map(TimelineController::kind)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Kind.class)));
  }

  private static Kind kind(String word) {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.wire().equals(word))
        .findFirst()
        .orElseThrow(() ->
            ProblemException.validation(
                "kinds: not usable (expected some of: "
                    + Arrays.stream(Kind.values()).map(Kind::wire).collect(Collectors.joining(", "))
                    + ")"));
  }
}
