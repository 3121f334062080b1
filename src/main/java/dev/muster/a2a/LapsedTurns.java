package dev.muster.a2a;

import dev.muster.a2a.MessageRecords.Lapsed;
import dev.muster.activity.Ended;
import dev.muster.activity.Feeds;
import dev.muster.activity.Result;
import dev.muster.activity.TurnEnd;
import dev.muster.platform.jobs.RecurringJob;
import dev.muster.platform.text.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Ends the turns whose server died: nobody knows whether the agent got the message, and its row
 * says so.
 */
@Configuration(proxyBeanMethods = false)
class LapsedTurns {

  private static final Logger log = LoggerFactory.getLogger(LapsedTurns.class);
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
    List<UUID> targets = new ArrayList<>();
    List<Lapsed> batch;
    do {
      batch = records.lapsed(MOST_IN_A_BATCH);
      batch.stream().filter(this::end).map(Lapsed::workspaceId).forEach(targets::add);
    } while (batch.size() == MOST_IN_A_BATCH);
    if (!targets.isEmpty()) {
      log.info(
          "{} deliveries of servers that ended meanwhile are uncertain now, to workspaces {}",
          targets.size(),
          Text.few(new TreeSet<>(targets)));
    }
  }

  /** Whether nobody was quicker. */
  boolean end(Lapsed lapsed) {
    var outcome =
        new TurnOutcome(
            replies.timedOut(WHY), MessageState.UNCERTAIN, null, new Result("error", WHY, null), 1);
    return feeds.end(
            new TurnEnd(
                lapsed.workspaceId(),
                lapsed.activityId(),
                null,
                outcome.result(),
                outcome.ending(lapsed.owner(), null)))
        == Ended.STORED;
  }
}
