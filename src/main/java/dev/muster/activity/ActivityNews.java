package dev.muster.activity;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvents;
import dev.muster.event.SeriesRelay;
import dev.muster.workspace.Named;
import dev.muster.workspace.Workspaces;
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
 * Tells watchers of every new row of every feed, and of every answer that an agent gave, once and
 * in the feed's order, whichever replica wrote it (R6.10). Without watchers it does nothing and
 * costs nothing.
 */
@Component
class ActivityNews implements FeedListener {

  private final LoggedRepository repository;
  private final LiveEvents live;
  private final Workspaces workspaces;
  private final AnswerNews answers;
  private final SeriesRelay relay;

  ActivityNews(LoggedRepository repository, LiveEvents live, Workspaces workspaces) {
    this.repository = repository;
    this.live = live;
    this.workspaces = workspaces;
    this.answers = new AnswerNews(repository);
    live.beforeWatched(answers::begin);
    this.relay = new SeriesRelay("activity-news", live, repository::endsSince, this::tell);
  }

  @Override
  public void grown(Set<UUID> workspaceIds) {
    relay.grown(workspaceIds);
  }

  @Override
  public void anyMayHaveGrown() {
    relay.anyMayHaveGrown();
  }

  private void tell(SeriesRelay relay) {
    relay.tell(grown -> tellRows(relay, grown));
    if (live.isWatched()) {
      answers.tell(live::publish);
    }
  }

  /** All there are; what cannot be read stays to be told. */
  private Set<UUID> tellRows(SeriesRelay relay, Set<UUID> grown) {
    Set<UUID> behind = new HashSet<>(grown);
    while (!behind.isEmpty()) {
      List<LoggedActivity> page = repository.after(relay.told(behind));
      live.publish(events(page));
      Map<UUID, Integer> counts = new HashMap<>();
      for (LoggedActivity row : page) {
        relay.setTold(row.workspaceId(), row.seq());
        counts.merge(row.workspaceId(), 1, Integer::sum);
      }
      if (page.size() < LoggedRepository.MAX_ROWS) {
        behind.clear();
      }
      counts.forEach((feed, rows) -> {
        if (rows == LoggedRepository.MAX_ROWS_OF_A_FEED) {
          behind.add(feed);
        }
      });
    }
    return behind;
  }

  private List<LiveEvent> events(List<LoggedActivity> rows) {
    Map<UUID, Named> speakers =
        workspaces.named(
            rows.stream()
                .filter(row -> row.said() instanceof LoggedActivity.ByAgent)
                .map(LoggedActivity::workspaceId)
                .collect(Collectors.toSet()));
    List<LiveEvent> events = new ArrayList<>(rows.size());
    for (LoggedActivity row : rows) {
      events.add(row.logged());
      if (row.said() != null) {
        @Nullable Named speaker = speakers.get(row.workspaceId());
        events.add(row.told(row.said(), speaker == null ? "" : speaker.name()));
      }
    }
    return events;
  }

  @PreDestroy
  void close() {
    relay.loop().close();
  }
}
