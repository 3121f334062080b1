package dev.muster.platform.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Holds the security settings as they are given ({@link Setting} describes each). The classes that
 * use them check the texts.
 *
 * @param home null for the default folder; an empty one counts as unset, since Spring reads the
 *     variable {@code MUSTER_HOME} by itself too
 * @param publicUrl null for the request's own address
 */
@ConfigurationProperties("muster")
public record SecuritySettings(
    @Nullable String home,
    @Nullable String publicUrl,
    @DefaultValue Registration registration,
    @DefaultValue AgentUrl agentUrl,
    @DefaultValue Security security) {

  public SecuritySettings {
    home = home == null || home.isBlank() ? null : home;
  }

  /**
   * Who may register.
   *
   * @param mode null for the default of the database mode
   */
  public record Registration(@Nullable String mode) {}

  /**
   * Where an agent's url may lead to.
   *
   * @param allow null for the default of the database mode
   */
  public record AgentUrl(@Nullable List<String> allow) {}

  /**
   * Who is admitted, and from where.
   *
   * @param adminToken null for a token that the server makes
   */
  public record Security(
      @Nullable String adminToken,
      boolean publicWorkspaceRead,
      boolean rootsAreSiblings,
      @DefaultValue List<String> corsOrigins,
      @DefaultValue List<String> allowedHosts) {

    /** Leaves the token out. */
    @Override
    public String toString() {
      return "Security[hidden]";
    }
  }
}
