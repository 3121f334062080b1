package dev.muster.message.feed;

import dev.muster.message.feed.FeedPages.Listed;
import dev.muster.message.feed.FeedPosition.Marks;
import dev.muster.message.feed.RecentRows.Recent;
import dev.muster.message.store.ReadPositions;
import dev.muster.message.store.RowSize;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.platform.work.LongPoll.PollResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads pages of a feed without skipping a row (R6.4), bounded in bytes (R6.6). */
@Service
class FeedReader {

  private final FeedMarks marks;
  private final FeedPages pages;
  private final RecentRows recent;
  private final ReadPositions positions;
  private final DeliveredMarks delivered;
  private final WholeReads reads;

  FeedReader(
      FeedMarks marks,
      FeedPages pages,
      RecentRows recent,
      ReadPositions positions,
      DeliveredMarks delivered,
      WholeReads reads) {
    this.marks = marks;
    this.pages = pages;
    this.recent = recent;
    this.positions = positions;
    this.delivered = delivered;
    this.reads = reads;
  }

  /**
   * The rows of an answer.
   *
   * @param end where the read ended, if that was before the page was full and the range read
   */
  record FeedPage(List<StoredActivity> rows, Optional<FeedPages.ReadEnd> end) {

    static final FeedPage EMPTY = new FeedPage(List.of(), Optional.empty());
  }

  /**
   * Creates a read of {@code query} that the caller may repeat.
   *
   * @param owner who reads
   * @param memory receives the bytes of a page before it is read, and may refuse them
   */
  Reading reading(UUID workspaceId, FeedQuery query, Owner owner, LongConsumer memory) {
    return new Reading(workspaceId, query, owner, memory);
  }

  /** The repeatable read of one query, used by one thread at a time. */
  final class Reading {

    private final UUID workspaceId;

    /** The query, since the first look by how the agent gets its messages. */
    private FeedQuery query;

    private final Owner owner;
    private final LongConsumer memory;

    /** Whether a look found nothing: those that follow run a few at a time anyway. */
    private boolean hasWaited;

    /**
     * The position of the last read without a result. Null before it, and for queries bound by
     * time.
     */
    private @Nullable FeedPosition waitingFrom;

    /** What the last read did not examine. Null if it examined all. */
    private @Nullable FeedPosition rest;

    private Reading(UUID workspaceId, FeedQuery query, Owner owner, LongConsumer memory) {
      this.workspaceId = workspaceId;
      this.query = query;
      this.owner = owner;
      this.memory = memory;
    }

    /**
     * Returns the query's rows in its order. If there are none, returns the feed's last {@code
     * seq}. Throws {@code CURSOR_GONE} if the cursor's row is not, or no longer, in this feed.
     */
    PollResult<FeedPage> look() {
      if (rest != null) {
        return lookAt(rest);
      }
      if (waitingFrom == null) {
        return lookFromTheStart();
      }
      List<Recent> added =
          query.hasCursor() ? recent.after(workspaceId, waitingFrom.lastSeq()) : List.of();
      if (!added.isEmpty()) {
        return lookAt(added, waitingFrom);
      }
      FeedPage page = page(waitingFrom);
      return page.rows().isEmpty() ? lookFromTheStart() : new PollResult.Answer<>(page);
    }

    /** Reads from the cached rows that follow {@code since}. */
    private PollResult<FeedPage> lookAt(List<Recent> added, FeedPosition since) {
      List<Recent> page =
          added.stream()
              .filter(one -> FeedIndex.matches(query, one.row()))
              .limit(query.limit())
              .toList();
      if (page.isEmpty()) {
        return nothingUpTo(since.withLastSeq(added.getLast().row().seq()));
      }
      memory.accept(page.stream().mapToInt(Recent::bytes).sum());
      return new PollResult.Answer<>(
          new FeedPage(page.stream().map(Recent::row).toList(), Optional.empty()));
    }

    private PollResult<FeedPage> lookFromTheStart() {
      Optional<Marks> found = marks(workspaceId, query);
      query = query.ofAgentThatPolls(found.map(Marks::ofPollingAgent).orElse(false));
      FeedPosition position =
          found.map(marks -> FeedPosition.of(query, marks)).orElse(FeedPosition.EMPTY);
      return position.isAtEnd() ? nothingUpTo(position) : lookAt(position);
    }

    private PollResult<FeedPage> lookAt(FeedPosition range) {
      rest = null;
      FeedPage page = page(range);
      if (!page.rows().isEmpty()) {
        return new PollResult.Answer<>(page);
      }
      if (page.end().isEmpty()) {
        return nothingUpTo(range);
      }
      if (query.startsAfterAcked()) {
        delivered.catchUp(workspaceId);
        hasWaited = true;
        return new PollResult.Nothing<>(range.lastSeq());
      }
      rest = page.end().get().rest(range);
      return new PollResult.Unfinished<>(page);
    }

    private PollResult<FeedPage> nothingUpTo(FeedPosition position) {
      if (query.asksForAllThatIsNew() && position.lastSeq() > position.read()) {
        positions.move(workspaceId, position.lastSeq());
      }
      waitingFrom = query.isBoundByTime() ? null : position;
      hasWaited = true;
      return new PollResult.Nothing<>(position.lastSeq());
    }

    private FeedPage page(FeedPosition range) {
      FeedPages.ListedPage page =
          !hasWaited && FeedPages.isLong(workspaceId, query, range)
              ? reads.run(owner, () -> pages.list(workspaceId, query, range))
              : pages.list(workspaceId, query, range);
      return new FeedPage(FeedReader.this.page(workspaceId, page.rows(), memory), page.end());
    }
  }

  /**
   * A page of the conversation at the canvas, newest first.
   *
   * @param isLast whether nothing older is kept
   */
  record Conversation(FeedPage page, boolean isLast) {}

  /**
   * Reads the conversation at the canvas before the query's time, at most the query's limit.
   *
   * @param memory receives the bytes of a page before it is read, and may refuse them
   */
  Conversation conversation(UUID workspaceId, FeedQuery query, LongConsumer memory) {
    FeedPosition range =
        marks(workspaceId, query)
            .map(found -> FeedPosition.of(query, found))
            .orElse(FeedPosition.EMPTY);
    FeedPages.ListedPage listed = pages.conversation(workspaceId, query, range, query.limit());
    FeedPage page = new FeedPage(page(workspaceId, listed.rows(), memory), listed.end());
    return new Conversation(page, isLast(workspaceId, query, page, range));
  }

  private boolean isLast(UUID workspaceId, FeedQuery query, FeedPage page, FeedPosition range) {
    if (page.end().isPresent()) {
      return false;
    }
    return page.rows().isEmpty()
        || pages
            .conversation(workspaceId, query, range.endingAt(page.rows().getLast().seq() - 1), 1)
            .isNothing();
  }

  /**
   * Reads one row.
   *
   * @param memory receives the bytes of the row before it is read, and may refuse them
   */
  Optional<StoredActivity> find(UUID workspaceId, UUID id, LongConsumer memory) {
    pages.bytes(workspaceId, id).ifPresent(memory::accept);
    return pages.find(workspaceId, id);
  }

  /** Reads where to begin; empty for a workspace without a feed. */
  private Optional<Marks> marks(UUID workspaceId, FeedQuery query) {
    Optional<UUID> since = query.sinceId().map(FeedReader::cursor);
    Optional<Marks> marks = this.marks.of(workspaceId, since, query);
    if (since.isPresent() && marks.flatMap(Marks::since).isEmpty()) {
      throw cursorGone();
    }
    if (query.reportsReadPosition()) {
      marks.ifPresent(found ->
          found
              .since()
              .filter(seq -> seq > found.read())
              .ifPresent(seq -> positions.move(workspaceId, seq)));
    }
    return marks;
  }

  private List<StoredActivity> page(UUID workspaceId, List<Listed> listed, LongConsumer memory) {
    List<Long> seqs = new ArrayList<>();
    long bytes = 0;
    for (Listed one : listed) {
      if (!seqs.isEmpty() && bytes + one.bytes() > RowSize.MAX_PAGE_BYTES) {
        break;
      }
      bytes += one.bytes();
      seqs.add(one.seq());
    }
    if (seqs.isEmpty()) {
      return List.of();
    }
    memory.accept(bytes);
    Map<Long, StoredActivity> rows =
        pages.rows(workspaceId, seqs).stream()
            .collect(Collectors.toMap(StoredActivity::seq, Function.identity()));
    // retention may have deleted rows since they were listed
    return seqs.stream().map(rows::get).filter(Objects::nonNull).toList();
  }

  private static UUID cursor(String text) {
    try {
      return Ids.parse(text.strip());
    } catch (ProblemException notAnId) {
      throw cursorGone();
    }
  }

  private static ProblemException cursorGone() {
    return new ProblemException(
        ErrorCode.CURSOR_GONE,
        "since_id names no row that this feed still has; omit since_id to reset, and go on from"
            + " what is kept");
  }
}
