package dev.muster.message.feed;

import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;
import dev.muster.identity.Credentials;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.message.feed.FeedReader.FeedPage;
import dev.muster.message.feed.FeedWakeUps.FeedTopic;
import dev.muster.message.feed.PeerInfoEnricher.FeedRow;
import dev.muster.platform.http.AsyncResponses;
import dev.muster.platform.http.NextLink;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.LongPoll;
import dev.muster.platform.work.LongPollRegistry;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Serves a feed to polling agents and canvases (R6.2 to R6.6). */
@RestController
class FeedController {

  private final LongPollRegistry polls;
  private final FeedReader reader;
  private final PeerInfoEnricher peers;
  private final Workspaces workspaces;
  private final Credentials credentials;
  private final ResponseMemory memory;

  FeedController(
      LongPollRegistry polls,
      FeedReader reader,
      PeerInfoEnricher peers,
      Workspaces workspaces,
      Credentials credentials,
      ResponseMemory memory) {
    this.polls = polls;
    this.reader = reader;
    this.peers = peers;
    this.workspaces = workspaces;
    this.credentials = credentials;
    this.memory = memory;
  }

  /** Returns the rows at once, or holds a long poll for them. */
  @GetMapping("/workspaces/{id}/activity")
  @RouteAccess({CallerKind.REMOVED_AGENT, CallerKind.VIEWER})
  @RateLimitGroup(RateLimitBucket.POLL)
  Object read(Caller caller, @PathVariable UUID id, HttpServletRequest request) {
    FeedQuery query = FeedQuery.read(request, caller.equals(new Caller.Agent(id)));
    CompletableFuture<ResponseEntity<List<FeedRow>>> page = page(id, caller, query, request);
    return page.isDone() && !page.isCompletedExceptionally()
        ? page.join()
        : AsyncResponses.of(page);
  }

  /**
   * Reads a page. The future is done at once unless the query waits and finds no row. At the
   * timeout it completes with an empty list. Each read checks again whether the caller may read
   * (R1.6).
   */
  private CompletableFuture<ResponseEntity<List<FeedRow>>> page(
      UUID id, Caller caller, FeedQuery query, HttpServletRequest request) {
    @Nullable String authorization = credentials.presented(request);
    CredentialRecheck recheck = new CredentialRecheck(credentials, authorization, caller);
    Function<List<StoredActivity>, List<FeedRow>> view = peers.view(query.wantsPeerInfo(), request);
    FeedReader.Reading reading =
        reader.reading(id, query, RequestOwner.of(request), memory.of(request));
    LongPoll<FeedPage> poll =
        new LongPoll<>(
            RequestOwner.of(request),
            new FeedTopic(id),
            query.waitAtMost(),
            () -> {
              workspaces.requireTrustedReaderOf(id, credentials.callerOf(authorization));
              return reading.look();
            },
            () -> recheck.check() != CredentialRecheck.Result.REVOKED,
            FeedPage.EMPTY);
    return polls
        .await(poll)
        .thenApply(page -> {
          List<FeedRow> rows = view.apply(page.rows());
          return NextLink.page(
              rows,
              request,
              page.end().map(FeedPages.ReadEnd::parameter).orElse(""),
              page.end().map(FeedPages.ReadEnd::cursor));
        });
  }

  @GetMapping("/workspaces/{id}/activity/{activityId}")
  @RouteAccess({CallerKind.REMOVED_AGENT, CallerKind.VIEWER})
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
