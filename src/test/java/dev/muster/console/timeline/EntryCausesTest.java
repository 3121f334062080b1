package dev.muster.console.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.console.timeline.TimelineEntry.EntryCause;
import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineEntry.Refs;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What entries came from, by ids or by a guess. */
class EntryCausesTest {

  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  private final TimelineEntry first = message("1", 0, 60_000L, null);
  private final TimelineEntry second = message("2", 30, null, "d-2");
  private final EntryCauses causes = new EntryCauses(List.of(second, first));

  @Test
  void takesTheNewestMessageThatTheAgentHadThen() {
    assertThat(cause(run("t", 10))).isEqualTo(new EntryCause(Kind.MESSAGE, "1", false));
    assertThat(cause(run("t", 40))).isEqualTo(new EntryCause(Kind.DELEGATION, "d-2", false));
    assertThat(cause(run("t", 30 + 600))).isEqualTo(new EntryCause(Kind.DELEGATION, "d-2", false));
    assertThat(cause(run("t", 31 + 600))).isNull();
    assertThat(cause(run("t", -1))).isNull();
  }

  @Test
  void takesIdsBeforeTimes() {
    assertThat(cause(run("m-1", 40))).isEqualTo(new EntryCause(Kind.MESSAGE, "1", true));
    assertThat(cause(run("d-2", 5000))).isEqualTo(new EntryCause(Kind.DELEGATION, "d-2", true));
  }

  @Test
  void guessesNothingOfWhatComesFromElsewhere() {
    assertThat(cause(entry(Kind.STATUS, "x", "online", 40))).isNull();
    assertThat(cause(entry(Kind.DELEGATION, "x", "from Lead", 40))).isNull();
    assertThat(cause(entry(Kind.DELEGATION, "x", "to Lead", 40))).isNotNull();
    assertThat(cause(entry(Kind.NOTIFICATION, "x", "notification", 40))).isNotNull();
  }

  private @Nullable EntryCause cause(TimelineEntry entry) {
    return causes.of(List.of(entry)).getFirst().cause();
  }

  private static TimelineEntry run(String task, int second) {
    return entry(Kind.RUN, "r", task, second);
  }

  private static TimelineEntry entry(Kind kind, String id, String title, int second) {
    return new TimelineEntry(
        NOON.plusSeconds(second),
        kind,
        id,
        title,
        null,
        null,
        null,
        new Refs(null, null, null, null, null, null, null),
        null);
  }

  private static TimelineEntry message(
      String id, int second, @Nullable Long durationMs, @Nullable String delegation) {
    return new TimelineEntry(
        NOON.plusSeconds(second),
        Kind.MESSAGE,
        id,
        "from Lead",
        "answered",
        null,
        durationMs,
        new Refs("m-" + id, delegation, null, null, null, null, null),
        null);
  }
}
