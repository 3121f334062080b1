package dev.muster.console.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatusPeriodsTest {

  private static final UUID ID = UUID.randomUUID();
  private static final Instant BEGIN = Instant.parse("2026-11-21T20:00:00Z");

  private static StatusChange change(
      long seq, int second, @Nullable String previous, String status) {
    return new StatusChange(ID, seq, BEGIN.plusSeconds(second), previous, status, null, null);
  }

  private static List<String> apply(StatusChange... changes) {
    StatusPeriods periods = StatusPeriods.apply(List.of(), List.of(changes), BEGIN);
    List<StatusPeriod> all = new ArrayList<>(periods.ended());
    all.addAll(periods.begun());
    return all.stream()
        .sorted(Comparator.comparingLong(StatusPeriod::seq))
        .map(period ->
            "%s %d-%s"
                .formatted(
                    period.status(),
                    period.since().getEpochSecond() - BEGIN.getEpochSecond(),
                    period.until() == null
                        ? ""
                        : period.until().getEpochSecond() - BEGIN.getEpochSecond()))
        .toList();
  }

  @Test
  void followsTransitionsWithoutAGap() {
    assertThat(
            apply(
                change(1, 10, null, "awaiting_agent"),
                change(2, 20, "awaiting_agent", "online"),
                change(3, 30, "online", "degraded")))
        .containsExactly("awaiting_agent 10-20", "online 20-30", "degraded 30-");
  }

  @Test
  void knowsTheStatusBeforeTheFirstEventThatIsKept() {
    assertThat(apply(change(5, 30, "online", "offline")))
        .containsExactly("online 0-30", "offline 30-");
  }

  @Test
  void neverEndsAPeriodBeforeItsBeginWhenAClockGoesBack() {
    assertThat(
            apply(
                change(1, 100, null, "awaiting_agent"),
                change(2, 40, "awaiting_agent", "online"),
                change(3, 50, "online", "offline"),
                change(4, 130, "offline", "online")))
        .containsExactly(
            "awaiting_agent 100-100", "online 100-100", "offline 100-130", "online 130-");
  }

  @Test
  void ignoresWhatChangesNothing() {
    assertThat(
            apply(change(1, 10, null, "awaiting_agent"), change(2, 20, "online", "awaiting_agent")))
        .containsExactly("awaiting_agent 10-");
  }

  @Test
  void endsWithARemoval() {
    StatusPeriods periods =
        StatusPeriods.apply(
            List.of(new StatusPeriod(ID, 1, BEGIN, null, null, "online", null, null)),
            List.of(change(7, 70, "online", "removed")),
            BEGIN);

    assertThat(periods.removed()).containsExactly(ID);
    assertThat(periods.begun()).isEmpty();
    Instant end = BEGIN.plusSeconds(70);
    assertThat(periods.ended())
        .containsExactly(
            new StatusPeriod(ID, 1, BEGIN, end, null, "online", null, null),
            new StatusPeriod(ID, 7, end, end, "online", "removed", null, null));
  }

  /** A status that had no length is not what was before. */
  @Test
  void knowsTheStatusBefore() {
    StatusPeriods periods =
        StatusPeriods.apply(
            List.of(),
            List.of(
                change(1, 10, null, "awaiting_agent"),
                change(2, 20, "awaiting_agent", "online"),
                change(3, 20, "online", "degraded"),
                change(4, 20, "degraded", "removed")),
            BEGIN);

    assertThat(periods.ended())
        .extracting(StatusPeriod::previous, StatusPeriod::status)
        .containsExactly(
            tuple(null, "awaiting_agent"),
            tuple("awaiting_agent", "online"),
            tuple("awaiting_agent", "degraded"),
            tuple("awaiting_agent", "removed"));
  }
}
