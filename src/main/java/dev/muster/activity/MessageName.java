package dev.muster.activity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Feed, sender and key: what names a message as long as its row lives (R7.3). */
record MessageName(UUID workspaceId, @Nullable UUID senderId, String key) {

  static MessageName of(NewActivity row, MessageIdentity identity) {
    return new MessageName(row.workspaceId(), row.sourceId(), identity.key());
  }
}
