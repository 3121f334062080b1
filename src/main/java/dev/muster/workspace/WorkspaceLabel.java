package dev.muster.workspace;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Holds a workspace's id, name and role, for display. */
public record WorkspaceLabel(UUID id, String name, @Nullable String role) {}
