package dev.muster.message.feed;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.muster.message.feed.PeerInfoEnricher.FeedRow.PeerInfo;
import dev.muster.platform.http.PublicUrl;
import dev.muster.platform.text.RawJson;
import dev.muster.workspace.Workspaces;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Converts rows for a response and adds {@code include=peer_info} if requested (R6.2). */
@Component
class PeerInfoEnricher {

  private static final RawJson NO_ATTACHMENTS = new RawJson("[]");

  /** One activity row of a response, with peer data if the request includes it (R6.6). */
  record FeedRow(
      @JsonUnwrapped StoredActivity row,
      @JsonUnwrapped @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable PeerInfo peerInfo) {

    /**
     * Fields for {@code include=peer_info}.
     *
     * @param attachments an array of JSON objects
     */
    record PeerInfo(
        @Nullable String peerName,
        @Nullable String peerRole,
        @Nullable String agentCardUrl,
        RawJson attachments) {}
  }

  private final Workspaces workspaces;
  private final PublicUrl publicUrl;

  PeerInfoEnricher(Workspaces workspaces, PublicUrl publicUrl) {
    this.workspaces = workspaces;
    this.publicUrl = publicUrl;
  }

  /**
   * Returns the conversion. It reads the request now, since the rows of a long poll may arrive
   * after the request's thread has returned.
   */
  Function<List<StoredActivity>, List<FeedRow>> view(boolean wanted, HttpServletRequest request) {
    if (!wanted) {
      return rows -> rows.stream().map(row -> new FeedRow(row, null)).toList();
    }
    String base = publicUrl.of(request);
    return rows -> withPeers(rows, base);
  }

  private List<FeedRow> withPeers(List<StoredActivity> rows, String base) {
    Set<UUID> ids =
        rows.stream()
            .map(PeerInfoEnricher::peer)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    Map<UUID, WorkspaceLabel> peers = workspaces.labelsOf(ids);
    return rows.stream().map(row -> new FeedRow(row, info(row, peers, base))).toList();
  }

  private static PeerInfo info(StoredActivity row, Map<UUID, WorkspaceLabel> peers, String base) {
    @Nullable UUID id = peer(row);
    @Nullable WorkspaceLabel peer = id == null ? null : peers.get(id);
    RawJson attachments =
        row.attachments() == null ? NO_ATTACHMENTS : new RawJson(row.attachments());
    return peer == null
        ? new PeerInfo(null, null, null, attachments)
        : new PeerInfo(
            peer.name(), peer.role(), base + "/registry/discover/" + peer.id(), attachments);
  }

  /** Returns the other workspace of a row; for a message to itself, that workspace. */
  private static @Nullable UUID peer(StoredActivity row) {
    return row.peerId() == null ? row.sourceId() : row.peerId();
  }
}
