package dev.muster.webhook;

import dev.muster.event.RecordedEvent;
import dev.muster.platform.http.PublicUrl;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.Uptime;
import dev.muster.platform.text.Redaction;
import dev.muster.platform.text.Text;
import dev.muster.platform.work.FailingUnits;
import dev.muster.webhook.TroubleRepository.Counts;
import dev.muster.webhook.TroubleRepository.Due;
import dev.muster.webhook.TroubleRepository.Listed;
import dev.muster.webhook.WebhookSettings.Kind;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates one notification for all troubles with one cause, when it is due
 * (docs/operate/webhook.md).
 *
 * <p>Its methods join the caller's transaction.
 */
@Component
class NotificationWriter {

  /**
   * Longer than the interval of the liveness sweep, which finds agents that became silent together.
   */
  static final Duration SETTLE_TIME = Duration.ofSeconds(20);

  /**
   * A cause that keeps growing is reported after this time. No cause is reported more often than
   * this.
   */
  static final Duration REPORT_INTERVAL = Duration.ofMinutes(1);

  /** After so many reports of a cause in an hour, it is reported at {@link #LONG_INTERVAL}. */
  static final int OFTEN = 5;

  static final Duration LONG_INTERVAL = Duration.ofMinutes(10);

  /** With more causes in a minute, each status gets one notification for all of its causes. */
  static final int MAX_IN_A_MINUTE = 10;

  private static final int MAX_ERROR = 160;

  private final TroubleRepository troubles;
  private final NotificationRepository notifications;
  private final JsonMapper json;
  private final WebhookSettings settings;
  private final Optional<String> publicUrl;
  private final CommitAwareTransactions transactions;
  private final FailingUnits failing;

  NotificationWriter(
      TroubleRepository troubles,
      NotificationRepository notifications,
      JsonMapper json,
      WebhookSettings settings,
      PublicUrl publicUrl,
      CommitAwareTransactions transactions,
      MeterRegistry metrics) {
    this.troubles = troubles;
    this.notifications = notifications;
    this.json = json;
    this.settings = settings;
    this.publicUrl = publicUrl.configured();
    this.transactions = transactions;
    this.failing = new FailingUnits("webhook", metrics);
  }

  /**
   * Creates the notifications that are due at {@code now}, at most one of a cause: the next one is
   * created when the receiver has taken it, with the numbers of that time. Recoveries that are not
   * to be sent count as reported.
   */
  void writeDue(Instant now) {
    List<Due> all =
        notifications.due(
            settings.reportedStatuses(), now, SETTLE_TIME, REPORT_INTERVAL, OFTEN, LONG_INTERVAL);
    if (!settings.reports(Kind.RECOVERED)) {
      all.stream()
          .filter(Due::recovered)
          .forEach(one -> run(one, () -> troubles.markReported(one, UUID.randomUUID(), now)));
    }
    List<Due> due =
        firstOfEachCause(
            all.stream().filter(one -> !one.recovered() || settings.reports(Kind.RECOVERED)));
    if (due.isEmpty()) {
      return;
    }
    int left =
        MAX_IN_A_MINUTE - notifications.countSince(now.minus(REPORT_INTERVAL), MAX_IN_A_MINUTE);
    if (due.size() > left) {
      due =
          firstOfEachCause(
              due.stream().map(one -> new Due(one.recovered(), one.cause().anyOfItsStatus())));
    }
    due.stream()
        .filter(one -> !failing.isDelayed(one))
        .limit(Math.max(left, 0))
        .forEach(one -> run(one, () -> write(one, now)));
  }

  private void run(Due due, Runnable work) {
    boolean _ = failing.run(due, () -> transactions.runNested(work));
  }

  private static List<Due> firstOfEachCause(Stream<Due> due) {
    Set<Cause> causes = new HashSet<>();
    return due.filter(one -> causes.add(one.cause())).toList();
  }

  private void write(Due due, Instant now) {
    Cause cause = due.cause();
    Counts counts = troubles.count(due);
    List<Listed> listed = troubles.list(due);
    Kind kind = due.recovered() ? Kind.RECOVERED : cause.kind();
    Instant since = Objects.requireNonNull(counts.since());
    String text =
        due.recovered()
            ? NotificationText.recovered(cause, counts, listed)
            : NotificationText.trouble(cause, counts, listed);
    ObjectNode body =
        body(kind, cause, due.recovered() ? counts.well() : counts.unwell(), since, now);
    body.put("new", due.recovered() ? counts.wellUnreported() : counts.unreported());
    if (due.recovered()) {
      body.put("of", counts.reported());
    }
    addListed(body, due, listed);
    UUID id = insert(body, text, link(due, counts, listed), due.recovered(), cause, now);
    troubles.markReported(due, id, now);
  }

  /** Reports {@code LIVENESS_SUSPENDED}: no workspace is taken offline for now. */
  void writeSuspension(RecordedEvent event, Instant now) {
    JsonNode payload = json.readTree(event.payload().text());
    long silent = payload.path("silent").asLong();
    Instant until = Instant.parse(payload.path("hold_until").asString());
    ObjectNode body = body(Kind.OFFLINE, Cause.MASS_SILENCE, silent, event.createdAt(), now);
    String text = NotificationText.suspended(silent, payload.path("live").asLong(), until);
    insert(body, text, "/ui/fleet", false, Cause.MASS_SILENCE, now);
  }

  /** Reports that silent agents are taken offline again. */
  void writeResumption(Instant now) {
    ObjectNode body = body(Kind.RECOVERED, Cause.MASS_SILENCE, 0, now, now);
    insert(body, NotificationText.resumed(), "/ui/fleet", true, Cause.MASS_SILENCE, now);
  }

  /** Reports the end of an uptime gap. */
  void writeEndOfGap(Uptime uptime) {
    Instant down = uptime.downSince();
    ObjectNode body = body(Kind.RECOVERED, Cause.UPTIME_GAP, 0, down, uptime.now());
    String text = NotificationText.upAgain(down, uptime.upSince());
    insert(body, text, "/ui/fleet", true, Cause.UPTIME_GAP, uptime.now());
  }

  private ObjectNode body(Kind kind, Cause cause, long count, Instant since, Instant now) {
    ObjectNode body = json.createObjectNode();
    body.put("id", UUID.randomUUID().toString());
    body.put("at", now.toString());
    body.put("kind", kind.wire());
    body.putObject("cause")
        .put("status", cause.status())
        .put("reason", nullIfEmpty(cause.reason()))
        .put("pattern", nullIfEmpty(cause.pattern()));
    body.put("count", count);
    body.put("since", since.toString());
    body.putArray("workspaces");
    return body;
  }

  private static void addListed(ObjectNode body, Due due, List<Listed> listed) {
    if (due.cause().status().equals(Cause.STUCK)) {
      ArrayNode delegations = body.putArray("delegations");
      for (Listed one : listed) {
        delegations
            .addObject()
            .put("id", one.subject())
            .put("from", one.workspaceId().toString())
            .put("from_name", one.name())
            .put("to", String.valueOf(one.targetId()))
            .put("to_name", one.targetName())
            .put("since", one.since().toString());
      }
      return;
    }
    ArrayNode workspaces = body.putArray("workspaces");
    for (Listed one : listed) {
      workspaces
          .addObject()
          .put("id", one.workspaceId().toString())
          .put("name", one.name())
          .put("status", one.status())
          .put("since", one.since().toString())
          .put("error", error(one.error()));
    }
  }

  private UUID insert(
      ObjectNode body, String text, String link, boolean recovered, Cause cause, Instant now) {
    body.put("text", publicUrl.map(base -> text + " " + base + link).orElse(text));
    publicUrl.ifPresent(base -> body.put("url", base + link));
    UUID id = UUID.fromString(body.path("id").asString());
    notifications.insert(id, recovered, cause, json.writeValueAsString(body), now);
    return id;
  }

  /**
   * Returns the path of the console's page that shows the workspaces or delegations of the
   * notification.
   */
  private static String link(Due due, Counts counts, List<Listed> listed) {
    Cause cause = due.cause();
    boolean isOne = (due.recovered() ? counts.reported() : counts.unwell()) == 1;
    if (isOne) {
      Listed one = listed.getFirst();
      return cause.status().equals(Cause.STUCK)
          ? "/ui/trace/" + one.subject()
          : "/ui/w/" + one.workspaceId();
    }
    if (cause.status().equals(Cause.STUCK)) {
      return due.recovered() ? "/ui/delegations" : "/ui/delegations?status=stuck";
    }
    if (due.recovered()) {
      return "/ui/fleet";
    }
    String filter =
        cause.status().equals(Cause.STALLED) ? "is:stalled" : "status:" + cause.status();
    boolean hasReason = cause.status().equals(Cause.DEGRADED) && !cause.reason().isEmpty();
    return "/ui/fleet?q="
        + URLEncoder.encode(
            hasReason ? filter + " reason:" + cause.reason() : filter, StandardCharsets.UTF_8);
  }

  private static @Nullable String error(@Nullable String error) {
    return error == null ? null : Text.cut(Text.clean(Redaction.redact(error)), MAX_ERROR);
  }

  private static @Nullable String nullIfEmpty(String text) {
    return text.isEmpty() ? null : text;
  }
}
