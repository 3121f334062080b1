package dev.muster.console.fleet;

import dev.muster.console.fleet.FleetDetails.FleetDetail;
import dev.muster.console.fleet.FleetSummaries.FleetSummary;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Serves the whole fleet to the console: a snapshot, a summary, and single rows. */
@RestController
class FleetController {

  private static final int MAX_ROWS = 200;

  private final FleetSnapshots snapshots;
  private final FleetSummaries summaries;
  private final FleetDetails details;

  FleetController(FleetSnapshots snapshots, FleetSummaries summaries, FleetDetails details) {
    this.snapshots = snapshots;
    this.summaries = summaries;
    this.details = details;
  }

  /**
   * Returns all workspaces in format MSF1. The events after its {@code seq} bring it up to date.
   */
  @GetMapping("/console/fleet")
  @RouteAccess(CallerKind.VIEWER)
  void fleet(Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    FleetReader.Snapshot snapshot =
        snapshots.of(FleetAudience.of(caller), RequestOwner.of(request));
    response.setHeader(HttpHeaders.ETAG, snapshot.etag());
    response.setHeader(HttpHeaders.CACHE_CONTROL, "private, no-cache");
    response.setHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    if (BinaryAnswer.isNamed(request, HttpHeaders.IF_NONE_MATCH, snapshot.etag())) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    snapshot.answer().send(request, response);
  }

  @GetMapping("/console/summary")
  @RouteAccess(CallerKind.VIEWER)
  FleetSummary summary(
      Caller caller, @RequestParam(defaultValue = "") String q, HttpServletRequest request) {
    return summaries.of(FleetAudience.of(caller), q, RequestOwner.of(request));
  }

  @GetMapping("/console/rows")
  @RouteAccess(CallerKind.VIEWER)
  List<FleetDetail> rows(Caller caller, @RequestParam(defaultValue = "") String ids) {
    FleetAudience audience = FleetAudience.of(caller);
    List<UUID> asked =
        Arrays.stream(ids.split(",", -1)).filter(id -> !id.isEmpty()).map(Ids::parse).toList();
    if (asked.size() > MAX_ROWS) {
      throw ProblemException.validation(
          "ids: "
              + asked.size()
              + " ids (expected: at most "
              + MAX_ROWS
              + ", with commas between)");
    }
    return details.of(asked, audience);
  }
}
