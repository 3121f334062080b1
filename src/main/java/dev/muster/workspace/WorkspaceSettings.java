package dev.muster.workspace;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.util.Optional;

/** The registry's settings (contract, section 12). */
record WorkspaceSettings(
    boolean registrationOpen,
    boolean publicRead,
    boolean rootsAreSiblings,
    Optional<String> publicUrl) {

  static WorkspaceSettings from(Settings settings, boolean embedded) {
    return new WorkspaceSettings(
        settings.security("REGISTRATION", embedded, WorkspaceSettings::isOpen),
        settings.security("PUBLIC_WORKSPACE_READ", false, Values::flag),
        settings.security("ROOTS_ARE_SIBLINGS", false, Values::flag),
        settings.security("PUBLIC_URL", Optional.empty(), value -> Optional.of(baseUrl(value))));
  }

  private static boolean isOpen(String value) {
    return switch (value) {
      case "open" -> true;
      case "closed" -> false;
      default -> throw new IllegalArgumentException("expected open or closed");
    };
  }

  private static String baseUrl(String value) {
    if (!value.matches("https?://[^\\s/?#]+(/[^\\s?#]*)?")) {
      throw new IllegalArgumentException("expected an http or https url without query");
    }
    return value.endsWith("/") ? value.substring(0, value.length() - 1) : value;
  }
}
