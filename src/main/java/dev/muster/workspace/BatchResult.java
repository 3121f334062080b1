package dev.muster.workspace;

import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of one workspace of a batch.
 *
 * @param at since when it is changed; null for a refusal
 * @param refusal why nothing was changed: what a request for this workspace alone is answered
 */
public record BatchResult(
    UUID workspaceId, @Nullable Instant at, @Nullable ProblemException refusal) {

  public static BatchResult done(UUID workspaceId, Instant at) {
    return new BatchResult(workspaceId, at, null);
  }

  public static BatchResult refused(UUID workspaceId, ProblemException refusal) {
    return new BatchResult(workspaceId, null, refusal);
  }
}
