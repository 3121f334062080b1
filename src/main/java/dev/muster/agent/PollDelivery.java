package dev.muster.agent;

import dev.muster.agent.CursorFile.Place;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Fetches the messages of an agent that cannot be called.
 *
 * {@snippet :
 * PollDelivery inbound =
 *     PollDelivery.builder(client).cursorFile(Path.of("state", "cursor.json")).build();
 * while (working) {
 *   inbound.runOnce(handler);
 * }
 * }
 *
 * <p>The platform is told what was handled, after it was handled; with a file, the cursor and the
 * last 1,000 messages survive a restart as well. So nothing is lost, and a message is handled twice
 * only when the agent is killed between the end of its handling and the next write. A handler that
 * throws has handled its message: one bad message does not hold up the others.
 *
 * <p>A reply that cannot be sent, or the report of a failed task, is kept: with a file beside it,
 * so that it survives a restart as well, else in memory. It is sent under the same id when the
 * platform is back, within 7 days. Only a notification has no id: when the platform's answer to it
 * was lost, it may be read twice.
 *
 * <p>An answer to a message of this agent's own is handed over like any message, but what the
 * handler returns for it is not sent: two agents that answer every answer would never stop. To go
 * on with a conversation, a handler calls {@link AgentClient#reply}.
 *
 * <p>{@link #runOnce} is for one thread at a time; the rest is safe from any.
 */
public final class PollDelivery implements InboundDelivery {

  /** Between two polls that found nothing, where the platform holds none. */
  public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(5);

  /** The rows that carry messages. */
  public static final String DEFAULT_TYPE = "a2a_receive";

  /** Of a poll. */
  public static final int DEFAULT_LIMIT = 100;

  private static final Logger log = LoggerFactory.getLogger(PollDelivery.class);

  /** A poll that came back empty sooner than this was not held. */
  private static final Duration HELD = Duration.ofSeconds(1);

  /** What a delivery is made of. */
  public static final class Builder {

    private final AgentClient client;
    private Duration interval = DEFAULT_INTERVAL;
    private String type = DEFAULT_TYPE;
    private int limit = DEFAULT_LIMIT;
    private Duration longestWait = Duration.ofMinutes(1);
    private @Nullable Path cursorFile;

    private Builder(AgentClient client) {
      this.client = client;
    }

    /** Between two polls that found nothing, where the platform holds none; 5 s. */
    public Builder interval(Duration interval) {
      this.interval = interval;
      return this;
    }

    /** Which rows of the activity log; {@code a2a_receive}. */
    public Builder type(String type) {
      this.type = type;
      return this;
    }

    /** Rows a poll, 1..500; 100. */
    public Builder limit(int limit) {
      if (limit < 1 || limit > 500) {
        throw new IllegalArgumentException("limit: " + limit + " (expected: 1..500)");
      }
      this.limit = limit;
      return this;
    }

    /** How long a poll may be held, if the platform does that; 60 s, zero for never. */
    public Builder longestWait(Duration wait) {
      this.longestWait = wait;
      return this;
    }

    /** Where the cursor survives a restart, and beside it what could not be sent. */
    public Builder cursorFile(Path file) {
      this.cursorFile = file;
      return this;
    }

    /** Reads the file, if there is one. */
    public PollDelivery build() {
      return new PollDelivery(this);
    }
  }

  private final AgentClient client;
  private final Replies replies;
  private final Duration interval;
  private final String type;
  private final int limit;
  private final Duration longestWait;
  private final CursorFile file;
  private final RecentMessageIds seen;
  private final CancellationToken cancellation = new CancellationToken();
  private volatile @Nullable String cursor;
  private volatile boolean pollsAtOnce;

  private PollDelivery(Builder builder) {
    client = builder.client;
    replies = new Replies(client, new UnsentReplies(builder.cursorFile), cancellation);
    interval = builder.interval;
    type = builder.type;
    limit = builder.limit;
    longestWait = builder.longestWait;
    file = new CursorFile(builder.cursorFile);
    Place place = file.load();
    cursor = place.cursor();
    seen = new RecentMessageIds(place.seen());
  }

  /** Makes a delivery of this client's messages. */
  public static Builder builder(AgentClient client) {
    return new Builder(client);
  }

  /** The last row that was handled; null when there was none, or its row was lost. */
  public @Nullable String cursor() {
    return cursor;
  }

  @Override
  public int runOnce(MessageHandler handler) {
    if (cancellation.isCancelled()) {
      return 0;
    }
    long began = System.nanoTime();
    int handled = 0;
    replies.sendKept();
    List<JsonNode> rows = fetch();
    for (JsonNode row : rows) {
      if (cancellation.isCancelled() || Thread.currentThread().isInterrupted()) {
        return handled;
      }
      if (take(row, handler)) {
        handled++;
      }
    }
    boolean held = System.nanoTime() - began >= HELD.toNanos();
    pollsAtOnce = pollsAtOnce || held;
    return handled;
  }

  /** Never throws: what cannot be told now is kept, and told later. */
  @Override
  public void reportFailure(String delegationId, String error, AgentClient client) {
    replies.report(delegationId, new DelegationReport.Failed(error, ""));
  }

  @Override
  public Duration interval() {
    return pollsAtOnce ? Duration.ZERO : interval;
  }

  @Override
  public void stop() {
    cancellation.cancel();
  }

  private List<JsonNode> fetch() {
    pollsAtOnce = false;
    Duration most = client.cadence().longPollMax();
    Duration wait = replies.atMost(most.compareTo(longestWait) < 0 ? most : longestWait);
    String since = cursor;
    try {
      return client.inbox().fetch(since, limit, type, wait, cancellation);
    } catch (CursorLostException e) {
      log.info("the cursor {} is lost; going on with what is still kept", since);
      keep(null);
      pollsAtOnce = since != null;
      return List.of();
    }
  }

  /** Whether the handler got it. */
  private boolean take(JsonNode row, MessageHandler handler) {
    @Nullable InboundMessage message = InboundMessage.ofRow(row).orElse(null);
    if (message == null) {
      log.warn("a row without an id is skipped");
      return false;
    }
    boolean repeated = seen.contains(message.identity());
    if (repeated) {
      log.info("message {} was handled before", message.identity());
    } else if (!handle(client.inbox().whole(message), handler)) {
      return false;
    }
    seen.add(message.identity());
    keep(message.activityId());
    acknowledge(message.seq());
    return !repeated;
  }

  /** False only when it was interrupted: then it is for the next start. */
  private boolean handle(InboundMessage message, MessageHandler handler) {
    try {
      String text = HandlerResult.of(handler.handle(message, client));
      if (!text.isEmpty()) {
        replies.send(message, text);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Throwable t) {
      log.error("the handler failed on message {}", message.activityId(), t);
    }
    return true;
  }

  private void keep(@Nullable String place) {
    cursor = place;
    file.save(new Place(place, seen.oldestFirst()));
  }

  private void acknowledge(long seq) {
    if (seq < 1) {
      return;
    }
    try {
      client.ack(seq);
    } catch (MusterException e) {
      log.debug("row {} is not acknowledged; a later one will be: {}", seq, e.getMessage());
    }
  }
}
