package dev.muster.workspace;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace as others speak of it. */
public record WorkspaceLabel(UUID id, String name, @Nullable String role) {}
