package dev.muster.activity;

import java.util.UUID;

/** What is written into a feed, under the lock of its head. */
sealed interface FeedChange permits NewActivity, TurnEnd {

  /** Whose feed. */
  UUID workspaceId();
}
