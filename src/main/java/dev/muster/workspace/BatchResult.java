package dev.muster.workspace;

import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The result for one workspace of a batch.
 *
 * @param at since when it has its new status; null for a refusal
 * @param refusal why it was not changed: the problem that a request for this workspace alone would
 *     get
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
