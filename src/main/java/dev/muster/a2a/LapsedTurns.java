package dev.muster.a2a;

import dev.muster.a2a.MessageRecords.Lapsed;
import dev.muster.activity.Feeds;
import dev.muster.activity.Result;
import dev.muster.activity.TurnEnd;
import dev.muster.platform.jobs.RecurringJob;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Ends the turns whose server died: nobody knows whether the agent got the message, and its row
 * says so.
 */
@Configuration(proxyBeanMethods = false)
class LapsedTurns {

  private static final Duration INTERVAL = Duration.ofSeconds(15);
  private static final int MOST_IN_A_BATCH = 200;
  private static final String WHY = "ServerLost: the server that delivered this ended meanwhile";

  private final MessageRecords records;
  private final Feeds feeds;
  private final Replies replies;

  LapsedTurns(MessageRecords records, Feeds feeds, Replies replies) {
    this.records = records;
    this.feeds = feeds;
    this.replies = replies;
  }

  @Bean
  RecurringJob lapsedTurnsJob() {
    return new RecurringJob("lapsed-turns", INTERVAL, this::sweep);
  }

  void sweep() {
    List<Lapsed> batch;
    do {
      batch = records.lapsed(MOST_IN_A_BATCH);
      batch.forEach(this::end);
    } while (batch.size() == MOST_IN_A_BATCH);
  }

  /** Passes when somebody was quicker. */
  void end(Lapsed lapsed) {
    var outcome =
        new TurnOutcome(
            replies.timedOut(WHY), MessageState.UNCERTAIN, null, new Result("error", WHY, null), 1);
    feeds.end(
        new TurnEnd(
            lapsed.workspaceId(),
            lapsed.activityId(),
            null,
            outcome.result(),
            outcome.ending(lapsed.owner(), null)));
  }
}
