package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.http.TestPublicUrl;
import dev.muster.platform.postgres.TestTransactions;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.TestSettings;
import dev.muster.testing.Poison;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.webhook.NotificationRepository.Claimed;
import dev.muster.webhook.TroubleChange.Begins;
import dev.muster.webhook.WebhookSettings.Kind;
import dev.muster.workspace.agenturl.AddressClass;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is sent of a course of troubles, for each choice of kinds; and in which order. Each step is
 * ten minutes after the last, so that everything is due.
 */
class WebhookKindsTest {

  private static final long STEP_S = 600;
  private static final Cause DEGRADED = new Cause(Cause.DEGRADED, "error_rate", "quota");
  private static final Cause WEDGED = new Cause(Cause.DEGRADED, "runtime_wedged", "");

  /** The troubles of a workspace one after the other; "well" and "left" end them. */
  private static final List<List<String>> COURSES =
      List.of(
          List.of("degraded", "well"),
          List.of("degraded", "offline", "well"),
          List.of("offline", "degraded", "well"),
          List.of("offline", "wedged", "degraded", "offline", "well", "offline", "well"),
          List.of("degraded", "offline", "left", "offline", "well"),
          List.of("degraded", "well", "offline", "well", "degraded", "well"),
          List.of("stalled", "well", "stalled", "left"),
          List.of("stuck", "well", "stuck", "left", "stuck", "well"));

  private static final TestDatabase DATABASE = TestDatabases.create();

  private final MeterRegistry metrics = new SimpleMeterRegistry();
  private final DataSource database = new DriverManagerDataSource(DATABASE.url());
  private final JdbcClient db = JdbcClient.create(database);
  private final TroubleRepository troubles = new TroubleRepository(db);
  private final NotificationRepository notifications = new NotificationRepository(db);
  private final UUID workspace = UUID.randomUUID();
  private final Instant begin =
      Instant.now().minus(Duration.ofDays(1)).truncatedTo(ChronoUnit.MICROS);

  WebhookKindsTest() {
    DATABASE.execute("DELETE FROM webhook_troubles; DELETE FROM webhook_notifications");
  }

  static Stream<Set<Kind>> choices() {
    List<Set<Kind>> choices = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (Set<Kind> others : List.copyOf(choices)) {
        Set<Kind> withIt = EnumSet.of(kind);
        withIt.addAll(others);
        choices.add(withIt);
      }
      choices.add(EnumSet.of(kind));
    }
    return choices.stream();
  }

  private NotificationWriter writer(Set<Kind> kinds) {
    SecuritySettings security =
        TestSettings.read(
            SecuritySettings.class,
            "WEBHOOK_KINDS=" + kinds.stream().map(Kind::wire).collect(Collectors.joining(",")));
    return new NotificationWriter(
        troubles,
        notifications,
        JsonMapper.shared(),
        new WebhookSettings(
            security, AgentUrlGuard.withSystemResolver(Set.of(AddressClass.LOOPBACK))),
        TestPublicUrl.of(security),
        TestTransactions.of(database),
        metrics);
  }

  private void apply(String step, UUID of, Instant now) {
    List<String> subject = List.of(of.toString());
    switch (step) {
      case "well" -> troubles.end(subject, now);
      case "left" -> troubles.leave(subject);
      default ->
          troubles.begin(List.of(new Begins(of.toString(), of, of, causeOf(step), null, now)), now);
    }
  }

  private static Cause causeOf(String step) {
    return switch (step) {
      case "degraded" -> DEGRADED;
      case "wedged" -> WEDGED;
      case "offline" -> Cause.SILENCE;
      case "stalled" -> Cause.WRITES_NOTHING;
      case "stuck" -> Cause.CALLEE_SILENT;
      default -> throw new IllegalArgumentException(step);
    };
  }

  /** What the receiver should get: a recovery from what it knows, and the troubles of its kinds. */
  private static List<String> expected(List<String> course, Set<Kind> kinds) {
    List<String> sent = new ArrayList<>();
    boolean isKnown = false;
    for (String step : course) {
      switch (step) {
        case "left" -> isKnown = false;
        case "well" -> {
          if (isKnown && kinds.contains(Kind.RECOVERED)) {
            sent.add("recovered");
          }
          isKnown = false;
        }
        default -> {
          Cause cause = causeOf(step);
          if (kinds.contains(cause.kind())) {
            sent.add(cause.status());
            isKnown = true;
          }
        }
      }
    }
    return sent;
  }

  /** Sends all that is due, and returns it in its order. */
  private List<JsonNode> send() {
    List<JsonNode> sent = new ArrayList<>();
    for (Optional<Claimed> one = claim(); one.isPresent(); one = claim()) {
      sent.add(JsonMapper.shared().readTree(one.get().body()));
      notifications.end(one.get().id());
    }
    return sent;
  }

  private static String title(JsonNode sent) {
    return sent.path("kind").asString().equals("recovered")
        ? "recovered"
        : sent.at("/cause/status").asString();
  }

  @ParameterizedTest
  @MethodSource("choices")
  void followsAllTroublesAndSendsThoseOfTheKinds(Set<Kind> kinds) {
    NotificationWriter writer = writer(kinds);
    for (List<String> course : COURSES) {
      UUID one = UUID.randomUUID();
      List<String> sent = new ArrayList<>();
      Instant now = begin;
      for (String step : course) {
        apply(step, one, now);
        now = now.plusSeconds(STEP_S);
        writer.writeDue(now);
        send().forEach(notification -> sent.add(title(notification)));
        now = now.plusSeconds(STEP_S);
      }

      assertThat(sent).as("%s of %s", kinds, course).isEqualTo(expected(course, kinds));
      DATABASE.execute("DELETE FROM webhook_troubles; DELETE FROM webhook_notifications");
    }
  }

  /** One workspace is well again, and another has the same trouble: both are due in one moment. */
  @Test
  void createsOneNotificationOfACauseAtATime() {
    NotificationWriter writer = writer(EnumSet.allOf(Kind.class));
    apply("degraded", workspace, begin);
    Instant later = begin.plusSeconds(STEP_S);
    writer.writeDue(later);
    assertThat(send()).hasSize(1);
    apply("well", workspace, later);
    apply("degraded", UUID.randomUUID(), later.plusSeconds(1));

    Instant last = later.plusSeconds(STEP_S);
    writer.writeDue(last);

    assertThat(send()).extracting(WebhookKindsTest::title).containsExactly("recovered");
    writer.writeDue(last);
    assertThat(send()).extracting(WebhookKindsTest::title).containsExactly("degraded");
  }

  /** Without the kind "recovered", a recovery only counts as reported. */
  @Test
  void createsTheOthersWhenOneRecoveryCannotBeMarked() {
    NotificationWriter writer = writer(EnumSet.of(Kind.DEGRADED));
    apply("degraded", workspace, begin);
    Instant later = begin.plusSeconds(STEP_S);
    writer.writeDue(later);
    assertThat(send()).hasSize(1);
    apply("well", workspace, later);
    apply("wedged", UUID.randomUUID(), later);
    try (Poison poison =
        Poison.check(
            DATABASE, metrics, "webhook", "webhook_troubles", "well_reported_at IS NULL")) {
      writer.writeDue(later.plusSeconds(STEP_S));

      assertThat(send())
          .extracting(sent -> sent.at("/cause/reason").asString())
          .containsExactly("runtime_wedged");

      writer.writeDue(later.plusSeconds(STEP_S));
      assertThat(poison.counted()).as("it is delayed").isEqualTo(1);
      assertThat(poison.lines(DEGRADED.toString())).hasSize(1);
    }
  }

  /** The first one was refused and waits for its next attempt. */
  @Test
  void sendsNoNotificationBeforeAnEarlierOneOfItsCause() {
    Cause all = DEGRADED.anyOfItsStatus();
    UUID first = insert(DEGRADED, begin);
    UUID second = insert(DEGRADED, begin.plusSeconds(1));
    UUID ofAll = insert(all, begin.plusSeconds(2));
    UUID other = insert(WEDGED, begin.plusSeconds(3));
    UUID silence = insert(Cause.SILENCE, begin.plusSeconds(4));
    assertThat(claimed()).contains(first);
    // the claim lasts
    assertThat(claimed()).contains(silence);
    assertThat(claimed()).isEmpty();

    notifications.end(first);
    assertThat(claimed()).contains(second);
    assertThat(claimed()).isEmpty();

    notifications.end(second);
    assertThat(claimed()).contains(ofAll);
    assertThat(claimed()).isEmpty();

    notifications.end(ofAll);
    assertThat(claimed()).contains(other);
  }

  private UUID insert(Cause cause, Instant at) {
    UUID id = UUID.randomUUID();
    notifications.insert(id, false, cause, "{}", at);
    return id;
  }

  private Optional<UUID> claimed() {
    return claim().map(Claimed::id);
  }

  private Optional<Claimed> claim() {
    return notifications.next(List.of()).flatMap(notifications::claim);
  }
}
