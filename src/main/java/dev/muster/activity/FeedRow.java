package dev.muster.activity;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.muster.platform.json.RawJson;
import org.jspecify.annotations.Nullable;

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
