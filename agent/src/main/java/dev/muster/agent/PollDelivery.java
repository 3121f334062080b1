package dev.muster.agent;

import dev.muster.agent.CursorFile.Place;
import dev.muster.agent.CursorFile.RecentMessageIds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Polls for the messages of an agent that has no reachable URL.
 *
 * {@snippet :
 * PollDelivery inbound =
 *     PollDelivery.builder(client).cursorFile(Path.of("state", "cursor.json")).build();
 * while (working) {
 *   inbound.runOnce(handler);
 * }
 * }
 *
 * <p>A message is acknowledged after it was handled. With a cursor file, the cursor and the ids of
 * the last 1,000 messages survive a restart. No message is lost. A message is handled again when
 * the agent was killed before it saved the cursor: while it worked, or just after. A message whose
 * handler threw counts as handled, so it does not block the next ones.
 *
 * <p>A reply or a failure report that cannot be sent is kept: beside the cursor file, where it
 * survives a restart, else in memory. It is sent later under the same id, for up to 7 days. Only a
 * notification has no id: after a lost response it can appear twice.
 *
 * <p>An answer to a message of this agent goes to the handler too, but the reply of the handler is
 * not sent. Otherwise two agents could answer each other without end. A handler that continues the
 * conversation calls {@link AgentClient#reply}.
 *
 * <p>Only one thread at a time may call {@link #runOnce}; all other methods are safe from any
 * thread.
 */
public final class PollDelivery implements InboundDelivery {

  /** The wait between two empty polls when the server does not hold polls. */
  public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(5);

  /** The type of the activity rows that carry messages. */
  public static final String DEFAULT_TYPE = "a2a_receive";

  /** The maximum number of rows per poll. */
  public static final int DEFAULT_LIMIT = 100;

  private static final Logger log = LoggerFactory.getLogger(PollDelivery.class);

  /** A {@link #runOnce} that took less counts as not held, so the next poll waits. */
  private static final Duration HELD = Duration.ofSeconds(1);

  /** Collects the settings of a delivery. */
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

    /** Sets the wait between two empty polls that the server did not hold; default 5 s. */
    public Builder interval(Duration interval) {
      this.interval = interval;
      return this;
    }

    /** Sets the type of the activity rows; default {@code a2a_receive}. */
    public Builder type(String type) {
      this.type = type;
      return this;
    }

    /** Sets the maximum number of rows per poll, 1..500; default 100. */
    public Builder limit(int limit) {
      if (limit < 1 || limit > 500) {
        throw new IllegalArgumentException("limit: " + limit + " (expected: 1..500)");
      }
      this.limit = limit;
      return this;
    }

    /** Sets how long the server may hold a poll; default 60 s, zero for no long poll. */
    public Builder longestWait(Duration wait) {
      this.longestWait = wait;
      return this;
    }

    /** Sets the file of the cursor; unsent replies are kept in files beside it. */
    public Builder cursorFile(Path file) {
      this.cursorFile = file;
      return this;
    }

    /** Makes the delivery and reads the cursor file, if there is one. */
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

  /** Makes a delivery of the messages to this client's workspace. */
  public static Builder builder(AgentClient client) {
    return new Builder(client);
  }

  /** Returns the id of the last handled row; null before the first one or after a 410. */
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

  /** Keeps a report that cannot be sent now and sends it later; never throws. */
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
      log.info("the cursor {} is lost; continuing with the rows that are still stored", since);
      keep(null);
      pollsAtOnce = since != null;
      return List.of();
    }
  }

  /** Handles one row and saves the cursor; returns whether the handler got a message. */
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

  /** Returns false only after an interrupt: the cursor stays before the message. */
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
