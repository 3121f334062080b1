package dev.muster.activity;

import dev.muster.identity.Admits;
import dev.muster.identity.Admits.Who;
import dev.muster.identity.Caller;
import dev.muster.identity.CountsAs;
import dev.muster.identity.RateLimit;
import dev.muster.platform.http.HeldAnswer;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A feed as pollers and canvases read it (R6.2 to R6.6). */
@RestController
class FeedController {

  private final FeedPolls polls;
  private final FeedReader reader;
  private final PeerInfos peers;
  private final Workspaces workspaces;
  private final ResponseMemory memory;

  FeedController(
      FeedPolls polls,
      FeedReader reader,
      PeerInfos peers,
      Workspaces workspaces,
      ResponseMemory memory) {
    this.polls = polls;
    this.reader = reader;
    this.peers = peers;
    this.workspaces = workspaces;
    this.memory = memory;
  }

  /** The rows at once, or a wait for them. */
  @GetMapping("/workspaces/{id}/activity")
  @Admits({Who.FORMER_AGENT, Who.VIEWER})
  @CountsAs(RateLimit.POLL)
  Object read(Caller caller, @PathVariable UUID id, HttpServletRequest request) {
    FeedQuery query = FeedQuery.read(request, caller.equals(new Caller.Agent(id)));
    CompletableFuture<List<FeedRow>> rows = polls.read(id, caller, query, request);
    return rows.isDone() && !rows.isCompletedExceptionally() ? rows.join() : HeldAnswer.of(rows);
  }

  @GetMapping("/workspaces/{id}/activity/{activityId}")
  @Admits({Who.FORMER_AGENT, Who.VIEWER})
  FeedRow one(
      Caller caller,
      @PathVariable UUID id,
      @PathVariable UUID activityId,
      HttpServletRequest request) {
    workspaces.requireReaderOf(id, caller);
    return reader
        .find(id, activityId, memory.of(request))
        .map(row ->
            peers.view(FeedQuery.wantsPeerInfo(request), request).apply(List.of(row)).getFirst())
        .orElseThrow(() ->
            new ProblemException(
                ErrorCode.NOT_FOUND, "the feed has no row " + activityId + ", or no longer"));
  }
}
