package dev.muster.activity;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.muster.platform.json.RawJson;
import org.jspecify.annotations.Nullable;

/** One row as canvases and pollers read it, in one record (R6.6). */
record FeedRow(
    @JsonUnwrapped StoredActivity row,
    @JsonUnwrapped @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable PeerInfo peerInfo) {

  /** Added for {@code include=peer_info}; the attachments as an array of JSON objects. */
  record PeerInfo(
      @Nullable String peerName,
      @Nullable String peerRole,
      @Nullable String agentCardUrl,
      RawJson attachments) {}
}
