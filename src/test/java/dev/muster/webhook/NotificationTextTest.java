package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.webhook.TroubleRepository.Counts;
import dev.muster.webhook.TroubleRepository.Listed;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The sentences of notifications. */
class NotificationTextTest {

  private static final UUID ID = UUID.fromString("6f0e2a52-8c1e-4b0c-9a44-000000000004");
  private static final Instant SINCE = Instant.parse("2026-11-25T02:14:03Z");
  private static final Cause WEDGED =
      new Cause("degraded", "runtime_wedged", "control request timeout");

  @Test
  void nameTheOneThatIsNotWell() {
    assertThat(
            NotificationText.trouble(
                WEDGED, unwell(1, 1), List.of(listed("Reviewer", "Control request timeout"))))
        .isEqualTo(
            "Workspace “Reviewer” is degraded since 2026-11-25 02:14 UTC: the agent's runtime is"
                + " wedged, “Control request timeout”.");
    assertThat(
            NotificationText.trouble(
                Cause.CALLEE_SILENT,
                unwell(1, 1),
                List.of(delegation("d-19", "Planner 3", "Tester 9"))))
        .isEqualTo(
            "Delegation d-19 (“Planner 3” to “Tester 9”) is stuck since 2026-11-25 02:14 UTC: the"
                + " callee fell silent.");
  }

  @Test
  void countManyAndWhatIsNewOfThem() {
    List<Listed> some = List.of(listed("A", null), listed("B", null));
    assertThat(NotificationText.trouble(Cause.SILENCE, unwell(1400, 1400), some))
        .isEqualTo(
            "1,400 workspaces are offline, among them “A” and “B”, the first since 2026-11-25 02:14"
                + " UTC: no heartbeat arrives.");
    assertThat(NotificationText.trouble(Cause.SILENCE, unwell(2, 2), some))
        .startsWith("2 workspaces are offline, “A” and “B”, the first since ");
    assertThat(NotificationText.trouble(Cause.SILENCE, unwell(12, 412), some))
        .startsWith(
            "12 more, 412 workspaces in all are offline, among them “A” and “B”, the first");
    List<Listed> four =
        Stream.of("a", "b", "c", "d").map(id -> delegation(id, "From " + id, "To")).toList();
    assertThat(NotificationText.trouble(Cause.CALLEE_SILENT, unwell(4, 4), four))
        .startsWith(
            "4 delegations are stuck, among them “From a” to “To”, “From b” to “To” and “From c” to"
                + " “To”, the first since ");
    assertThat(NotificationText.trouble(WEDGED.anyOfItsStatus(), unwell(40, 40), some))
        .endsWith(": for several reasons.");
  }

  @Test
  void tellHowManyAreWellAgain() {
    List<Listed> some = List.of(listed("A", null));
    assertThat(NotificationText.recovered(Cause.SILENCE, well(400, 380), some))
        .isEqualTo("380 of 400 workspaces that were offline are well again.");
    assertThat(NotificationText.recovered(Cause.SILENCE, well(400, 400), some))
        .isEqualTo("All 400 workspaces that were offline are well again.");
    assertThat(NotificationText.recovered(Cause.SILENCE, well(1, 1), some))
        .isEqualTo("Workspace “A” is well again; it was offline since 2026-11-25 02:14 UTC.");
    assertThat(NotificationText.recovered(Cause.SILENCE, well(3, 1), some))
        .isEqualTo("1 of 3 workspaces that were offline is well again: “A”.");
    assertThat(
            NotificationText.recovered(
                Cause.CALLEE_SILENT, well(3, 1), List.of(delegation("d", "A", "B"))))
        .isEqualTo("1 of 3 delegations that were stuck is no longer stuck: “A” to “B”.");
    assertThat(NotificationText.recovered(Cause.WRITES_NOTHING, well(1, 1), some))
        .startsWith("Workspace “A” is no longer stalled; it was stalled since ");
  }

  @Test
  void mentionNoUserAndLinkNowhere() {
    String text =
        NotificationText.trouble(
            WEDGED,
            unwell(1, 1),
            List.of(listed("<!channel> @here", "[x](http://evil) <http://a|b>\n`*c*`\u202E")));

    assertThat(text).doesNotContain("<", ">", "@", "[", "|", "`", "*", "://", "\n", "\u202E");
    assertThat(text).contains("“‹!channel› ＠here”");
  }

  private static Counts unwell(int unreported, int unwell) {
    return new Counts(unreported, unwell, unwell - unreported, 0, 0, SINCE);
  }

  private static Counts well(int reported, int well) {
    return new Counts(0, reported - well, reported, well, well, SINCE);
  }

  private static Listed listed(String name, @Nullable String error) {
    return new Listed(ID.toString(), ID, name, null, null, "degraded", SINCE, error);
  }

  private static Listed delegation(String id, String from, String to) {
    return new Listed(id, ID, from, ID, to, null, SINCE, null);
  }
}
