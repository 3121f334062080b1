package dev.muster.platform.settings;

import static dev.muster.platform.settings.SettingFormat.BYTES;
import static dev.muster.platform.settings.SettingFormat.COUNT;
import static dev.muster.platform.settings.SettingFormat.COUNT_OR_ZERO;
import static dev.muster.platform.settings.SettingFormat.DAYS;
import static dev.muster.platform.settings.SettingFormat.FLAG;
import static dev.muster.platform.settings.SettingFormat.HOURS;
import static dev.muster.platform.settings.SettingFormat.OPEN_TEXT;
import static dev.muster.platform.settings.SettingFormat.RATIO;
import static dev.muster.platform.settings.SettingFormat.SECONDS;
import static dev.muster.platform.settings.SettingFormat.SECONDS_OR_ZERO;
import static dev.muster.platform.settings.SettingFormat.TEXT;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.core.env.Environment;

/**
 * Lists all settings ({@code docs/api.md}, section 12): nothing else says the name, the property,
 * the range or the description of one, nor the default of a tuning setting. The page {@code
 * docs/operate/settings.md} is generated from this list: {@code mvn test -Dtest=SettingsPageTest
 * -Dupdate-docs=true}.
 *
 * <p>Each constant has the name of its environment variable. The variable sets a property of
 * Spring, which may also be given by its own name, and which is bound to the record of the classes
 * that use the setting.
 */
public enum Setting {
  ADMIN_TOKEN(
      security("muster.security.admin-token", TEXT, "made at the first start"),
      "at least 16 characters"),
  REGISTRATION(
      security("muster.registration.mode", OPEN_TEXT, "`open` embedded, else `closed`"),
      "whether agents may register a workspace that was not created before"),
  AGENT_URL_ALLOW(
      security("muster.agent-url.allow", OPEN_TEXT, "`loopback` embedded, else none"),
      "address classes that an agent's url may lead to: `loopback`, `private`, `cgnat`, "
          + "separated by commas; public addresses are always allowed"),
  PUBLIC_WORKSPACE_READ(
      security("muster.security.public-workspace-read", FLAG, "`false`"),
      "whether `GET /workspaces/{id}` needs no credential"),
  ROOTS_ARE_SIBLINGS(
      security("muster.security.roots-are-siblings", FLAG, "`false`"),
      "whether workspaces without a parent may talk to each other"),
  PUBLIC_URL(
      security("muster.public-url", OPEN_TEXT, "the request's own"),
      "the server's address in the answer to a create; set it behind a proxy"),
  ALLOWED_HOSTS(
      security("muster.security.allowed-hosts", OPEN_TEXT, "none"),
      "while the server listens on loopback alone: further host names by which it may be "
          + "called, separated by commas, ports ignored"),
  CORS_ORIGINS(
      security("muster.security.cors-origins", OPEN_TEXT, "none"),
      "origins whose pages may call, with credentials, such as `https://canvas.example`, "
          + "separated by commas; no `*`"),
  WEBHOOK_URL(
      security("muster.webhook.url", TEXT, "none: off"),
      "the url that [gets a notification](webhook.md) when agents are degraded, offline, "
          + "stuck, or well again; the rules of `AGENT_URL_ALLOW` hold for it too"),
  WEBHOOK_SECRET(
      security("muster.webhook.secret", TEXT, "none: no signature"),
      "signs what is sent to `WEBHOOK_URL`; at least 16 characters"),
  WEBHOOK_KINDS(
      security("muster.webhook.kinds", OPEN_TEXT, "all"),
      "what is sent to `WEBHOOK_URL`: some of `degraded`, `offline`, `stuck`, "
          + "`recovered`, separated by commas"),
  DATABASE_URL(
      security("spring.datasource.url", TEXT, "embedded"),
      "`postgres://user:password@host:5432/database`; also `postgresql://…` and "
          + "`jdbc:postgresql://…`"),
  MUSTER_HOME(
      security("muster.home", OPEN_TEXT, "`~/.muster`"),
      "the embedded mode's data, database password and admin token"),
  SERVER_PORT(security("server.port", OPEN_TEXT, "`8080`"), "`0` for any free one"),
  SERVER_ADDRESS(
      security("server.address", OPEN_TEXT, "`127.0.0.1` embedded, else all"),
      "the address to listen on"),
  DATABASE_WAIT_S(
      tuning("muster.database.wait", SECONDS_OR_ZERO, "30"),
      "seconds for which a start waits for a database that does not accept connections "
          + "yet; `0` tries once. A wrong password, a missing database or an old "
          + "PostgreSQL ends the start at once"),
  HEARTBEAT_INTERVAL_S(
      tuning("muster.heartbeat.interval", SECONDS, "30"),
      "the interval that every answer to a heartbeat gives to agents"),
  STALE_AFTER_S(
      tuning("muster.heartbeat.stale-after", SECONDS, "180"),
      "the time without a heartbeat after which an agent counts as stale; answers to "
          + "heartbeats give it too"),
  LIVENESS_SWEEP_INTERVAL_S(
      tuning("muster.liveness.sweep-interval", SECONDS, "15"),
      "how often one replica searches for stale workspaces"),
  RECOVERY_GRACE_S(
      tuning("muster.liveness.recovery-grace", SECONDS, "360"),
      "after an uptime gap, for how long agents whose last heartbeat is older are spared; "
          + "never less than twice `STALE_AFTER_S`"),
  MASS_OFFLINE_RATIO(
      tuning("muster.liveness.mass-offline.ratio", RATIO, "0.5"),
      "when more than this share of ten or more workspaces becomes stale at once, none is "
          + "taken offline"),
  MASS_OFFLINE_HOLD_S(
      tuning("muster.liveness.mass-offline.hold", SECONDS, "600"), "for this long at most"),
  STALLED_AFTER_S(
      tuning("muster.liveness.stalled-after", SECONDS, "720"),
      "how long an agent that sends heartbeats may have `active_tasks` without writing an "
          + "activity, before it counts as stalled"),
  ACTIVITY_RETENTION_DAYS(
      tuning("muster.activity.retention", DAYS, "7"),
      "how long acknowledged activities are kept: 1 to 10,000 days; 0 counts as 1, a "
          + "larger number as 10,000"),
  ACTIVITY_HARD_RETENTION_DAYS(
      tuning("muster.activity.hard-retention", DAYS, "30"),
      "how long any activity is kept, with the same range"),
  ACTIVITY_CLEANUP_INTERVAL_HOURS(
      tuning("muster.activity.cleanup-interval", HOURS, "6"),
      "how often older activities are deleted; first at the first start"),
  FEED_MAX_ROWS(
      tuning("muster.activity.feed-max-rows", COUNT, "100000"),
      "how many unread activities the feed of a workspace may hold"),
  FEED_MAX_BYTES(
      tuning("muster.activity.feed-max-bytes", BYTES, "1GiB"),
      "how many bytes they may take; a number, or one with KiB, MiB or GiB"),
  EVENT_RETENTION_DAYS(
      tuning("muster.event.retention", DAYS, "30"),
      "how long recorded events are kept: 1 to 10,000 days"),
  STATUS_HISTORY_DAYS(
      tuning("muster.status-history.retention", DAYS, "30"),
      "how far back the console's [time machine](console.md#the-time-machine) goes: 1 to "
          + "10,000 days"),
  A2A_DELEGATE_MAX_ATTEMPTS(
      tuning("muster.a2a.max-attempts", COUNT, "5"),
      "how often an agent is called for one request, the first time included"),
  A2A_DELEGATE_TOTAL_BUDGET(
      tuning("muster.a2a.total-budget", SECONDS, "600"),
      "seconds for a delivery with all its retries, when the sender gives no `X-Timeout`"),
  A2A_DELEGATE_READ_TIMEOUT(
      tuning("muster.a2a.read-timeout", SECONDS, "300"),
      "seconds for which an agent may be silent within an attempt; an agent's own "
          + "`idle_timeout_seconds` takes precedence"),
  A2A_RETRY_AMBIGUOUS(
      tuning("muster.a2a.retry-ambiguous", FLAG, "true"),
      "whether a message that an agent may already have is sent again, under the same "
          + "`messageId`"),
  A2A_QUEUE_TTL_S(
      tuning("muster.a2a.queue-ttl", SECONDS, "86400"),
      "how long a message is queued for its target at most"),
  DELEGATION_SWEEPER_INTERVAL_S(
      tuning("muster.delegation.sweeper.interval", SECONDS, "300"),
      "how often one replica searches for delegations that are overdue or stuck"),
  DELEGATION_STUCK_THRESHOLD_S(
      tuning("muster.delegation.sweeper.stuck-threshold", SECONDS, "600"),
      "the silence after which a delegation is stuck"),
  DELEGATION_SWEEPER_ENABLED(
      tuning("muster.delegation.sweeper.enabled", FLAG, "true"),
      "whether this search runs by itself; operators may run it at any time"),
  DEGRADE_AT_ERROR_RATE(
      tuning("muster.heartbeat.degrade-at", RATIO, "0.5"),
      "the error rate from which a workspace is degraded"),
  RECOVER_BELOW_ERROR_RATE(
      tuning("muster.heartbeat.recover-below", RATIO, "0.1"),
      "the error rate below which it recovers"),
  RATE_LIMIT(
      tuning("muster.rate-limit.general", COUNT_OR_ZERO, "600"),
      "requests per minute for each credential and replica; `0` for no limit"),
  RATE_LIMIT_HEARTBEAT(
      tuning("muster.rate-limit.heartbeat", COUNT_OR_ZERO, "600"), "the same for heartbeats"),
  RATE_LIMIT_POLL(
      tuning("muster.rate-limit.poll", COUNT_OR_ZERO, "600"),
      "the same for requests that agents repeat all the time ([rate "
          + "limits](access.md#rate-limits))"),
  LOG_FORMAT(tuning("logging.structured.format.console", OPEN_TEXT, "text"), "or `json`");

  /** Decides what a bad value of the variable does. */
  enum Kind {
    /** It refuses the start. */
    SECURITY,
    /** It is ignored with a warning, and the default is used. */
    TUNING
  }

  private record Definition(Kind kind, String property, SettingFormat format, String byDefault) {}

  private final Kind kind;
  private final String property;
  private final SettingFormat format;
  private final String byDefault;
  private final String description;

  /**
   * @param description what the setting does, in Markdown
   */
  Setting(Definition definition, String description) {
    this.kind = definition.kind();
    this.property = definition.property();
    this.format = definition.format();
    this.byDefault = definition.byDefault();
    this.description = description;
  }

  /** Its default is a description, in Markdown. */
  private static Definition security(String property, SettingFormat format, String byDefault) {
    return new Definition(Kind.SECURITY, property, format, byDefault);
  }

  /** Its default is a value of the variable. */
  private static Definition tuning(String property, SettingFormat format, String byDefault) {
    return new Definition(Kind.TUNING, property, format, byDefault);
  }

  /** Returns the settings whose properties are Muster's, not Spring's with readers of their own. */
  static Stream<Setting> ofMuster() {
    return Stream.of(values()).filter(Setting::isOfMuster);
  }

  boolean isOfMuster() {
    return property.startsWith(ContractVariables.PREFIX);
  }

  Kind kind() {
    return kind;
  }

  public String property() {
    return property;
  }

  SettingFormat format() {
    return format;
  }

  public String byDefault() {
    return byDefault;
  }

  String description() {
    return description;
  }

  /** Returns the default of a share between 0 and 1. */
  public double defaultRatio() {
    return Double.parseDouble(byDefault);
  }

  /** Reads the property where there are no beans yet; empty where its value is not usable. */
  public <T> Optional<T> find(Environment environment, Class<T> type) {
    return Optional.ofNullable(
        Binder.get(environment)
            .bind(property, Bindable.of(type), new IgnoreErrorsBindHandler())
            .orElse(null));
  }

  /**
   * Parses the setting's value; refuses the start when it is bad.
   *
   * <p>{@code parse} throws {@link IllegalArgumentException}, whose message says what it expected
   * and contains no secret.
   */
  public <T> T parse(Supplier<T> parse) {
    try {
      return parse.get();
    } catch (IllegalArgumentException e) {
      throw new StartRefusedException(
          "%s (%s) is not usable: %s.".formatted(name(), property, e.getMessage()), e);
    }
  }
}
