package dev.muster.workspace;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;

/** Holds the registry's settings (docs/api.md, section 12). */
record WorkspaceSettings(boolean registrationOpen, boolean publicRead, boolean rootsAreSiblings) {

  static WorkspaceSettings from(Settings settings, boolean embedded) {
    return new WorkspaceSettings(
        settings.security("REGISTRATION", embedded, WorkspaceSettings::isOpen),
        settings.security("PUBLIC_WORKSPACE_READ", false, Values::flag),
        settings.security("ROOTS_ARE_SIBLINGS", false, Values::flag));
  }

  private static boolean isOpen(String value) {
    return switch (value) {
      case "open" -> true;
      case "closed" -> false;
      default -> throw new IllegalArgumentException("expected open or closed");
    };
  }
}
