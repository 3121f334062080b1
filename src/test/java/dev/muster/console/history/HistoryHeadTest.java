package dev.muster.console.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.console.history.HistoryRepository.Head;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Up to when the history of statuses can be read while it is still being written. */
class HistoryHeadTest {

  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant NOW = BEGAN.plusSeconds(3600);

  private final Head head = new Head(7, BEGAN, BEGAN, BEGAN, 7, NOW, 20);

  @Test
  void isCompleteUpToTheLastEventOfAPageThatMoreFollow() {
    assertThat(head.completeUpTo(event(19))).isEqualTo(BEGAN.plusSeconds(19));
  }

  @Test
  void isCompleteUpToNowWithTheNewestEvent() {
    assertThat(head.completeUpTo(event(20))).isEqualTo(NOW);
    assertThat(head.completeUpTo(event(21))).isEqualTo(NOW);
  }

  private static RecordedEvent event(long seq) {
    return new RecordedEvent(
        UUID.randomUUID(),
        seq,
        "WORKSPACE_ONLINE",
        UUID.randomUUID(),
        new RawJson("{}"),
        BEGAN.plusSeconds(seq));
  }
}
