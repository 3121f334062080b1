package dev.muster.workspace;

import java.util.UUID;

/** Holds the status of one workspace whose row is locked. */
record StatusRow(UUID workspaceId, WorkspaceStatus status) {}
