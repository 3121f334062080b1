package dev.muster.platform.settings;

import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.core.env.Environment;

/**
 * Lists all settings ({@code docs/api.md}, section 12). The page {@code docs/operate/settings.md}
 * is generated from this list: {@code mvn test -Dtest=SettingsPageTest -Dupdate-docs=true}.
 *
 * <p>Each constant has the name of its environment variable. The variable sets a property of
 * Spring, which may also be given by its own name.
 */
public enum Setting {
  ADMIN_TOKEN(
      Kind.SECURITY,
      "muster.security.admin-token",
      SettingFormat.TEXT,
      "made at the first start",
      "at least 16 characters"),
  REGISTRATION(
      Kind.SECURITY,
      "muster.registration.mode",
      SettingFormat.TEXT,
      "`open` embedded, else `closed`",
      "whether agents may register a workspace that was not created before"),
  AGENT_URL_ALLOW(
      Kind.SECURITY,
      "muster.agent-url.allow",
      SettingFormat.TEXT,
      "`loopback` embedded, else none",
      "address classes that an agent's url may lead to: `loopback`, `private`, `cgnat`, "
          + "separated by commas; public addresses are always allowed"),
  PUBLIC_WORKSPACE_READ(
      Kind.SECURITY,
      "muster.security.public-workspace-read",
      SettingFormat.FLAG,
      "`false`",
      "whether `GET /workspaces/{id}` needs no credential"),
  ROOTS_ARE_SIBLINGS(
      Kind.SECURITY,
      "muster.security.roots-are-siblings",
      SettingFormat.FLAG,
      "`false`",
      "whether workspaces without a parent may talk to each other"),
  PUBLIC_URL(
      Kind.SECURITY,
      "muster.public-url",
      SettingFormat.TEXT,
      "the request's own",
      "the server's address in the answer to a create; set it behind a proxy"),
  ALLOWED_HOSTS(
      Kind.SECURITY,
      "muster.security.allowed-hosts",
      SettingFormat.TEXT,
      "none",
      "while the server listens on loopback alone: further host names by which it may "
          + "be called, separated by commas, ports ignored"),
  CORS_ORIGINS(
      Kind.SECURITY,
      "muster.security.cors-origins",
      SettingFormat.TEXT,
      "none",
      "origins whose pages may call, with credentials, such as "
          + "`https://canvas.example`, separated by commas; no `*`"),
  WEBHOOK_URL(
      Kind.SECURITY,
      "muster.webhook.url",
      SettingFormat.TEXT,
      "none: off",
      "the url that [gets a notification](webhook.md) when agents are degraded, offline, stuck, or"
          + " well again; the rules of `AGENT_URL_ALLOW` hold for it too"),
  WEBHOOK_SECRET(
      Kind.SECURITY,
      "muster.webhook.secret",
      SettingFormat.TEXT,
      "none: no signature",
      "signs what is sent to `WEBHOOK_URL`; at least 16 characters"),
  WEBHOOK_KINDS(
      Kind.SECURITY,
      "muster.webhook.kinds",
      SettingFormat.TEXT,
      "all",
      "what is sent to `WEBHOOK_URL`: some of `degraded`, `offline`, `stuck`, `recovered`,"
          + " separated by commas"),
  DATABASE_URL(
      Kind.SECURITY,
      "spring.datasource.url",
      SettingFormat.TEXT,
      "embedded",
      "`postgres://user:password@host:5432/database`; also `postgresql://…` and "
          + "`jdbc:postgresql://…`"),
  MUSTER_HOME(
      Kind.SECURITY,
      "muster.home",
      SettingFormat.TEXT,
      "`~/.muster`",
      "the embedded mode's data, database password and admin token"),
  SERVER_PORT(Kind.SECURITY, "server.port", SettingFormat.TEXT, "`8080`", "`0` for any free one"),
  SERVER_ADDRESS(
      Kind.SECURITY,
      "server.address",
      SettingFormat.TEXT,
      "`127.0.0.1` embedded, else all",
      "the address to listen on"),
  DATABASE_WAIT_S(
      Kind.TUNING,
      "muster.database.wait",
      SettingFormat.SECONDS_OR_ZERO,
      "30",
      "seconds for which a start waits for a database that does not accept connections yet; `0`"
          + " tries once. A wrong password, a missing database or an old PostgreSQL ends the start"
          + " at once"),
  HEARTBEAT_INTERVAL_S(
      Kind.TUNING,
      "muster.heartbeat.interval",
      SettingFormat.SECONDS,
      "30",
      "the interval that every answer to a heartbeat gives to agents"),
  STALE_AFTER_S(
      Kind.TUNING,
      "muster.heartbeat.stale-after",
      SettingFormat.SECONDS,
      "180",
      "the time without a heartbeat after which an agent counts as stale; answers to heartbeats"
          + " give it too"),
  LIVENESS_SWEEP_INTERVAL_S(
      Kind.TUNING,
      "muster.liveness.sweep-interval",
      SettingFormat.SECONDS,
      "15",
      "how often one replica searches for stale workspaces"),
  RECOVERY_GRACE_S(
      Kind.TUNING,
      "muster.liveness.recovery-grace",
      SettingFormat.SECONDS,
      "360",
      "after an uptime gap, for how long agents whose last heartbeat is older are spared; never"
          + " less than twice `STALE_AFTER_S`"),
  MASS_OFFLINE_RATIO(
      Kind.TUNING,
      "muster.liveness.mass-offline.ratio",
      SettingFormat.RATIO,
      "0.5",
      "when more than this share of ten or more workspaces becomes stale at once, none is taken"
          + " offline"),
  MASS_OFFLINE_HOLD_S(
      Kind.TUNING,
      "muster.liveness.mass-offline.hold",
      SettingFormat.SECONDS,
      "600",
      "for this long at most"),
  STALLED_AFTER_S(
      Kind.TUNING,
      "muster.liveness.stalled-after",
      SettingFormat.SECONDS,
      "720",
      "how long an agent that sends heartbeats may have `active_tasks` without writing "
          + "an activity, before it counts as stalled"),
  ACTIVITY_RETENTION_DAYS(
      Kind.TUNING,
      "muster.activity.retention",
      SettingFormat.DAYS,
      "7",
      "how long acknowledged activities are kept: 1 to 10,000 days; 0 counts as 1, a "
          + "larger number as 10,000"),
  ACTIVITY_HARD_RETENTION_DAYS(
      Kind.TUNING,
      "muster.activity.hard-retention",
      SettingFormat.DAYS,
      "30",
      "how long any activity is kept, with the same range"),
  ACTIVITY_CLEANUP_INTERVAL_HOURS(
      Kind.TUNING,
      "muster.activity.cleanup-interval",
      SettingFormat.HOURS,
      "6",
      "how often older activities are deleted; first at the first start"),
  FEED_MAX_ROWS(
      Kind.TUNING,
      "muster.activity.feed-max-rows",
      SettingFormat.COUNT,
      "100000",
      "how many unread activities the feed of a workspace may hold"),
  FEED_MAX_BYTES(
      Kind.TUNING,
      "muster.activity.feed-max-bytes",
      SettingFormat.BYTES,
      "1GiB",
      "how many bytes they may take; a number, or one with KiB, MiB or GiB"),
  EVENT_RETENTION_DAYS(
      Kind.TUNING,
      "muster.event.retention",
      SettingFormat.DAYS,
      "30",
      "how long recorded events are kept: 1 to 10,000 days"),
  STATUS_HISTORY_DAYS(
      Kind.TUNING,
      "muster.status-history.retention",
      SettingFormat.DAYS,
      "30",
      "how far back the console's [time machine](console.md#the-time-machine) goes: 1 to 10,000"
          + " days"),
  A2A_DELEGATE_MAX_ATTEMPTS(
      Kind.TUNING,
      "muster.a2a.max-attempts",
      SettingFormat.COUNT,
      "5",
      "how often an agent is called for one request, the first time included"),
  A2A_DELEGATE_TOTAL_BUDGET(
      Kind.TUNING,
      "muster.a2a.total-budget",
      SettingFormat.SECONDS,
      "600",
      "seconds for a delivery with all its retries, when the sender gives no " + "`X-Timeout`"),
  A2A_DELEGATE_READ_TIMEOUT(
      Kind.TUNING,
      "muster.a2a.read-timeout",
      SettingFormat.SECONDS,
      "300",
      "seconds for which an agent may be silent within an attempt; an agent's own "
          + "`idle_timeout_seconds` takes precedence"),
  A2A_RETRY_AMBIGUOUS(
      Kind.TUNING,
      "muster.a2a.retry-ambiguous",
      SettingFormat.FLAG,
      "true",
      "whether a message that an agent may already have is sent again, under the same "
          + "`messageId`"),
  A2A_QUEUE_TTL_S(
      Kind.TUNING,
      "muster.a2a.queue-ttl",
      SettingFormat.SECONDS,
      "86400",
      "how long a message is queued for its target at most"),
  DELEGATION_SWEEPER_INTERVAL_S(
      Kind.TUNING,
      "muster.delegation.sweeper.interval",
      SettingFormat.SECONDS,
      "300",
      "how often one replica searches for delegations that are overdue or stuck"),
  DELEGATION_STUCK_THRESHOLD_S(
      Kind.TUNING,
      "muster.delegation.sweeper.stuck-threshold",
      SettingFormat.SECONDS,
      "600",
      "the silence after which a delegation is stuck"),
  DELEGATION_SWEEPER_ENABLED(
      Kind.TUNING,
      "muster.delegation.sweeper.enabled",
      SettingFormat.FLAG,
      "true",
      "whether this search runs by itself; operators may run it at any time"),
  DEGRADE_AT_ERROR_RATE(
      Kind.TUNING,
      "muster.heartbeat.degrade-at",
      SettingFormat.RATIO,
      "0.5",
      "the error rate from which a workspace is degraded"),
  RECOVER_BELOW_ERROR_RATE(
      Kind.TUNING,
      "muster.heartbeat.recover-below",
      SettingFormat.RATIO,
      "0.1",
      "the error rate below which it recovers"),
  RATE_LIMIT(
      Kind.TUNING,
      "muster.rate-limit.general",
      SettingFormat.COUNT_OR_ZERO,
      "600",
      "requests per minute for each credential and replica; `0` for no limit"),
  RATE_LIMIT_HEARTBEAT(
      Kind.TUNING,
      "muster.rate-limit.heartbeat",
      SettingFormat.COUNT_OR_ZERO,
      "600",
      "the same for heartbeats"),
  RATE_LIMIT_POLL(
      Kind.TUNING,
      "muster.rate-limit.poll",
      SettingFormat.COUNT_OR_ZERO,
      "600",
      "the same for requests that agents repeat all the time ([rate "
          + "limits](access.md#rate-limits))"),
  LOG_FORMAT(
      Kind.TUNING, "logging.structured.format.console", SettingFormat.TEXT, "text", "or `json`");

  /** Decides what a bad value of the variable does. */
  enum Kind {
    /** It refuses the start. */
    SECURITY,
    /** It is ignored with a warning, and the default is used. */
    TUNING
  }

  private final Kind kind;
  private final String property;
  private final SettingFormat format;
  private final String byDefault;
  private final String description;

  /**
   * @param byDefault the variable's value for {@link Kind#TUNING}; else a description of the
   *     default
   * @param description what the setting does, in Markdown
   */
  Setting(Kind kind, String property, SettingFormat format, String byDefault, String description) {
    this.kind = kind;
    this.property = property;
    this.format = format;
    this.byDefault = byDefault;
    this.description = description;
  }

  Kind kind() {
    return kind;
  }

  String property() {
    return property;
  }

  SettingFormat format() {
    return format;
  }

  String byDefault() {
    return byDefault;
  }

  /** Returns the default of a share between 0 and 1. */
  public double defaultRatio() {
    return Double.parseDouble(byDefault);
  }

  String description() {
    return description;
  }

  /** Tells whether the property is Muster's, not one of Spring with a reader of its own. */
  boolean isOfMuster() {
    return property.startsWith(ContractVariables.PREFIX);
  }

  /** Reads the property where there are no beans yet. */
  public <T> T read(Environment environment, Class<T> type) {
    return Binder.get(environment).bind(property, type).get();
  }

  /** As {@link #read}; empty where the value is not usable. */
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
