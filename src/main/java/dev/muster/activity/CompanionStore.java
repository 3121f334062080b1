package dev.muster.activity;

import dev.muster.platform.postgres.Pipeline;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Stores companions in the transactions of their rows, under the locks of the feeds; whatever it
 * locks itself comes after those.
 */
public interface CompanionStore {

  /** A row that is in its feed now. */
  record Accompanied(UUID activityId, NewActivity row) {}

  /**
   * These are new, and have companions. Their rows come before in the pipeline: who needs them
   * there runs it first.
   */
  void appended(Pipeline pipeline, List<Accompanied> rows);

  /**
   * Ends these turns, which have companions, as far as that is still theirs to do.
   *
   * @return the rows of those it ended
   */
  Set<UUID> ended(List<TurnEnd> ends);
}
