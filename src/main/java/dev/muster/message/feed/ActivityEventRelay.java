package dev.muster.message.feed;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvents;
import dev.muster.event.SeriesRelay;
import dev.muster.message.store.FeedChangeListener;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.workspace.Workspaces;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Publishes live events for new feed rows and for agents' responses to the canvas. Each event is
 * published once, in feed order, whichever replica wrote the row (R6.10). Without subscribers it
 * runs no query.
 */
@Component
class ActivityEventRelay implements FeedChangeListener {

  private final ActivityRelayRepository repository;
  private final LiveEvents live;
  private final Workspaces workspaces;
  private final AnsweredMessageRelay answers;
  private final SeriesRelay relay;

  ActivityEventRelay(
      ActivityRelayRepository repository,
      LiveEvents live,
      Workspaces workspaces,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.repository = repository;
    this.live = live;
    this.workspaces = workspaces;
    this.answers = new AnsweredMessageRelay(repository);
    live.beforeWatched(answers::begin);
    this.relay =
        new SeriesRelay(
            loops, metrics, "activity-event-relay", live, repository::endsSince, this::relay);
  }

  @Override
  public void feedsChanged(Set<UUID> workspaceIds) {
    relay.seriesChanged(workspaceIds);
  }

  @Override
  public void resync() {
    relay.resync();
  }

  private void relay(SeriesRelay relay) {
    relay.relay(changedFeeds -> relayRows(relay, changedFeeds));
    if (live.isWatched()) {
      answers.relay(responses -> {
        // a message may have been stored and answered since its feed was read above
        Set<UUID> feeds =
            responses.stream().map(LiveEvent::workspaceId).collect(Collectors.toSet());
        relay.relay(feeds, changedFeeds -> relayRows(relay, changedFeeds));
        live.publish(responses);
      });
    }
  }

  /**
   * Publishes all rows after the relayed positions. A failed read leaves its rows for the next run.
   */
  private Set<UUID> relayRows(SeriesRelay relay, Set<UUID> changedFeeds) {
    Set<UUID> behind = new HashSet<>(changedFeeds);
    while (!behind.isEmpty()) {
      List<ActivityLoggedRow> page = repository.after(relay.relayedUpTo(behind));
      live.publish(events(page));
      Map<UUID, Integer> counts = new HashMap<>();
      for (ActivityLoggedRow row : page) {
        relay.setRelayed(row.workspaceId(), row.seq());
        counts.merge(row.workspaceId(), 1, Integer::sum);
      }
      if (page.size() < ActivityRelayRepository.MAX_ROWS) {
        behind.clear();
      }
      counts.forEach((feed, rows) -> {
        if (rows == ActivityRelayRepository.MAX_ROWS_OF_A_FEED) {
          behind.add(feed);
        }
      });
    }
    return behind;
  }

  private List<LiveEvent> events(List<ActivityLoggedRow> rows) {
    Map<UUID, WorkspaceLabel> speakers =
        workspaces.labelsOf(
            rows.stream()
                .filter(row -> row.chatText() instanceof ActivityLoggedRow.ByAgent)
                .map(ActivityLoggedRow::workspaceId)
                .collect(Collectors.toSet()));
    List<LiveEvent> events = new ArrayList<>(rows.size());
    for (ActivityLoggedRow row : rows) {
      events.add(row.logged());
      if (row.chatText() != null) {
        @Nullable WorkspaceLabel speaker = speakers.get(row.workspaceId());
        events.add(row.toEvent(row.chatText(), speaker == null ? "" : speaker.name()));
      }
    }
    return events;
  }

  @PreDestroy
  void close() {
    relay.close();
  }
}
