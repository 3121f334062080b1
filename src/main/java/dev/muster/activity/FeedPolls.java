package dev.muster.activity;

import dev.muster.activity.FeedWatch.FeedTopic;
import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.identity.Standing;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.longpoll.Seen;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/** Reads a feed for a request, which may wait for rows (R6.2). */
@Component
class FeedPolls {

  private final LongPolls polls;
  private final FeedReader reader;
  private final PeerInfos peers;
  private final Workspaces workspaces;
  private final Credentials credentials;
  private final ResponseMemory memory;

  FeedPolls(
      LongPolls polls,
      FeedReader reader,
      PeerInfos peers,
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

  /**
   * Done at once, unless the query waits and there is no row yet; with an empty list when there is
   * none in time. Who may read is looked at again whenever the feed is (R1.6).
   */
  CompletableFuture<List<FeedRow>> read(
      UUID id, Caller caller, FeedQuery query, HttpServletRequest request) {
    String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    Standing standing = new Standing(credentials, authorization, caller);
    Function<List<StoredActivity>, List<FeedRow>> view = peers.view(query.wantsPeerInfo(), request);
    FeedReader.Reading reading = reader.reading(id, query, memory.of(request));
    Supplier<Seen<List<FeedRow>>> look =
        () -> {
          workspaces.requireTrustedReaderOf(id, credentials.callerOf(authorization));
          return seen(reading.look(), view);
        };
    return polls.await(
        new LongPoll<>(
            RequestOwner.of(request),
            new FeedTopic(id),
            query.waitAtMost(),
            look,
            () -> standing.now() != Standing.Verdict.REVOKED,
            List.of()));
  }

  private static Seen<List<FeedRow>> seen(
      Seen<List<StoredActivity>> stored, Function<List<StoredActivity>, List<FeedRow>> view) {
    return switch (stored) {
      case Seen.Answer<List<StoredActivity>>(List<StoredActivity> rows) ->
          new Seen.Answer<>(view.apply(rows));
      case Seen.Nothing<List<StoredActivity>>(long version) -> new Seen.Nothing<>(version);
    };
  }
}
