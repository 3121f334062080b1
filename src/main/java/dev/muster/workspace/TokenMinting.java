package dev.muster.workspace;

import dev.muster.identity.Tokens;
import dev.muster.identity.Tokens.Minted;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.StatusRepository.StatusRow;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Mints tokens under the workspace's lock. It refuses removed workspaces and more than {@link
 * Tokens#MAX_LIVE} live tokens.
 */
@Service
class TokenMinting {

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Tokens tokens;

  TokenMinting(WorkspaceRepository workspaces, StatusRepository statuses, Tokens tokens) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.tokens = tokens;
  }

  @Transactional
  public Minted mint(UUID id) {
    StatusRow row = statuses.lock(id).orElseThrow(() -> Workspaces.absent(id, workspaces));
    if (row.status() == WorkspaceStatus.REMOVED) {
      throw Workspaces.removed(
          workspaces.find(id).orElseThrow(() -> Workspaces.absent(id, workspaces)));
    }
    if (tokens.isFull(id)) {
      throw new ProblemException(
          ErrorCode.TOKEN_LIMIT,
          "the workspace has " + Tokens.MAX_LIVE + " live tokens; revoke one first");
    }
    return tokens.mint(id);
  }
}
