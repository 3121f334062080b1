package dev.muster.workspace;

import java.util.UUID;

/** The locked state of one workspace, while its transaction decides. */
record StatusRow(UUID workspaceId, WorkspaceStatus status) {}
