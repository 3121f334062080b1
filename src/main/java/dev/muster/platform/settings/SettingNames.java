package dev.muster.platform.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.stereotype.Component;

/**
 * Lists all setting names ({@code docs/api.md}, section 12) and warns about likely misspellings.
 *
 * <p>It checks the environment variables and the properties.
 */
@Component
public final class SettingNames {

  private static final Logger log = LoggerFactory.getLogger(SettingNames.class);

  private static final Set<String> KNOWN =
      new TreeSet<>(
          List.of(
              """
              A2A_DELEGATE_MAX_ATTEMPTS A2A_DELEGATE_READ_TIMEOUT A2A_DELEGATE_TOTAL_BUDGET A2A_QUEUE_TTL_S
              A2A_RETRY_AMBIGUOUS ACTIVITY_CLEANUP_INTERVAL_HOURS ACTIVITY_HARD_RETENTION_DAYS ACTIVITY_RETENTION_DAYS
              ADMIN_TOKEN AGENT_URL_ALLOW ALLOWED_HOSTS CORS_ORIGINS DATABASE_URL DATABASE_WAIT_S DEGRADE_AT_ERROR_RATE
              DELEGATION_STUCK_THRESHOLD_S DELEGATION_SWEEPER_ENABLED DELEGATION_SWEEPER_INTERVAL_S EVENT_RETENTION_DAYS
              FEED_MAX_BYTES FEED_MAX_ROWS HEARTBEAT_INTERVAL_S LIVENESS_SWEEP_INTERVAL_S LOG_FORMAT MASS_OFFLINE_HOLD_S
              MASS_OFFLINE_RATIO MUSTER_HOME PUBLIC_URL PUBLIC_WORKSPACE_READ RATE_LIMIT RATE_LIMIT_HEARTBEAT
              RATE_LIMIT_POLL RECOVERY_GRACE_S RECOVER_BELOW_ERROR_RATE REGISTRATION ROOTS_ARE_SIBLINGS SERVER_ADDRESS
              SERVER_PORT STALE_AFTER_S STALLED_AFTER_S
              """
                  .split("\\s+")));

  private static final String PREFIX = "MUSTER_";

  /** Prefixes of the variables that orchestrators set for a service named "muster". */
  private static final List<String> OF_ORCHESTRATORS = List.of("MUSTER_SERVICE_", "MUSTER_PORT");

  private static final Set<String> OF_THE_AGENT_PROGRAM =
      Set.of(
          "MUSTER_URL",
          "MUSTER_TOKEN",
          "MUSTER_TOKEN_FILE",
          "MUSTER_WORKSPACE_ID",
          "MUSTER_STATE_DIR",
          "MUSTER_NAME",
          "MUSTER_EXEC",
          "MUSTER_EXEC_TIMEOUT",
          "MUSTER_QUIET");

  private static final int MAX_NAME_LENGTH = 64;

  /** Logs the warnings once, at the start. */
  SettingNames(ConfigurableEnvironment environment) {
    warnings(environment.getSystemEnvironment()).forEach(log::warn);
    warnings(GivenProperties.of(environment)).forEach(log::warn);
  }

  /** Returns all names in alphabetical order. */
  public static Collection<String> all() {
    return List.copyOf(KNOWN);
  }

  /** Returns a warning for each variable that looks like a misspelt setting; never its value. */
  static List<String> warnings(Map<String, ?> variables) {
    return warnings("environment variable", variables.keySet());
  }

  /** Returns the same warnings for properties; a name with a dot is never taken for a setting. */
  static List<String> warnings(Collection<String> properties) {
    return warnings("property", properties.stream().filter(name -> !name.contains(".")).toList());
  }

  private static List<String> warnings(String kind, Collection<String> names) {
    List<String> warnings = new ArrayList<>();
    for (String name : new TreeSet<>(names)) {
      if (KNOWN.contains(name)
          || OF_THE_AGENT_PROGRAM.contains(name)
          || OF_ORCHESTRATORS.stream().anyMatch(name::startsWith)) {
        continue;
      }
      Optional<String> meant = nearest(name);
      if (meant.isPresent() || name.startsWith(PREFIX)) {
        warnings.add(
            "the %s %s is not a setting of Muster and is ignored%s"
                .formatted(kind, shown(name), didYouMean(meant)));
      }
    }
    return warnings;
  }

  /** Returns the most similar setting; dots and dashes count as underscores. */
  static Optional<String> nearest(String name) {
    return Misspelling.nearest(
        name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'), KNOWN);
  }

  /** Returns the name, cut to 64 characters for the log. */
  static String shown(String name) {
    return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
  }

  static String didYouMean(Optional<String> meant) {
    return meant.map(near -> "; did you mean " + near + "?").orElse("");
  }
}
