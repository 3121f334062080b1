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
    @DefaultValue RegistrationMode registration,
    @DefaultValue AllowedAgentUrls agentUrl,
    @DefaultValue WebhookReceiver webhook,
    @DefaultValue Security security) {

  public SecuritySettings {
    home = home == null || home.isBlank() ? null : home;
  }

  /**
   * Which agents may register.
   *
   * @param mode null for the default of the database mode
   */
  public record RegistrationMode(@Nullable String mode) {}

  /**
   * The addresses that an agent's url may lead to.
   *
   * @param allow null for the default of the database mode
   */
  public record AllowedAgentUrls(@Nullable List<String> allow) {}

  /**
   * The receiver of notifications about agents in trouble.
   *
   * @param url null for no webhook
   * @param secret null for notifications without a signature
   * @param kinds empty for all
   */
  public record WebhookReceiver(
      @Nullable String url, @Nullable String secret, @DefaultValue List<String> kinds) {

    public WebhookReceiver {
      url = url == null || url.isBlank() ? null : url.strip();
      secret = secret == null || secret.isBlank() ? null : secret.strip();
    }

    /** Leaves the url and the secret out. */
    @Override
    public String toString() {
      return "WebhookReceiver[hidden]";
    }
  }

  /**
   * The credentials and the addresses that are admitted.
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
