package dev.muster.workspace;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace as others speak of it. */
public record Named(UUID id, String name, @Nullable String role) {}
