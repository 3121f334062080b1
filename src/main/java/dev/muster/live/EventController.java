package dev.muster.live;

import dev.muster.event.Events;
import dev.muster.event.RecordedEvent;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Text;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Lists the recorded events for the admin, operators and viewers (R10.2). */
@RestController
class EventController {

  private final Events events;

  EventController(Events events) {
    this.events = events;
  }

  @GetMapping("/events")
  @RouteAccess(CallerKind.VIEWER)
  List<RecordedEvent> ofAll(
      Caller caller,
      HttpServletRequest request,
      @RequestParam(required = false) @Nullable String type,
      @RequestParam(required = false) @Nullable String after) {
    return read(caller, request, Optional.empty(), type, after);
  }

  @GetMapping("/events/{workspaceId}")
  @RouteAccess(CallerKind.VIEWER)
  List<RecordedEvent> ofWorkspace(
      Caller caller,
      HttpServletRequest request,
      @PathVariable UUID workspaceId,
      @RequestParam(required = false) @Nullable String type,
      @RequestParam(required = false) @Nullable String after) {
    return read(caller, request, Optional.of(workspaceId), type, after);
  }

  private List<RecordedEvent> read(
      Caller caller,
      HttpServletRequest request,
      Optional<UUID> workspaceId,
      @Nullable String type,
      @Nullable String after) {
    int limit = PageLimit.of(request).orElse(PageLimit.DEFAULT);
    Optional<Long> seq =
        Optional.ofNullable(after).filter(text -> !text.isEmpty()).map(EventController::seq);
    AccessChecks.requireReader(caller);
    Optional<String> ofType =
        Optional.ofNullable(type).filter(text -> !text.isEmpty()).map(Text::clean);
    return seq.isPresent()
        ? events.after(seq.get(), workspaceId, ofType, limit)
        : events.latest(workspaceId, ofType, limit);
  }

  private static long seq(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw ProblemException.validation(
          "after: not a seq (expected: a whole number, such as the seq of an event)");
    }
  }
}
