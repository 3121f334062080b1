package dev.muster.message.feed;

import dev.muster.message.NewActivity;
import dev.muster.platform.http.TimeParameter;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.platform.text.Text;
import jakarta.servlet.http.HttpServletRequest;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The parameters of a feed request (R6.2).
 *
 * @param isOwn whether the request carries the workspace's own token
 * @param polls whether the workspace's agent polls; false until that is read
 */
record FeedQuery(
    boolean isOwn,
    boolean polls,
    Optional<String> type,
    Optional<String> sinceId,
    Optional<Duration> sinceSecs,
    Optional<Instant> beforeTs,
    Optional<UUID> peerId,
    Optional<SourceFilter> source,
    int limit,
    Optional<Order> givenOrder,
    Duration waitAtMost,
    Set<String> include) {

  enum Order {
    ASC,
    DESC
  }

  enum SourceFilter {
    /** Canvas messages and notifications. */
    CANVAS,
    /** Rows whose source is a workspace. */
    AGENT
  }

  static final int DEFAULT_LIMIT = 100;
  static final int MAX_LIMIT = 500;
  static final int MAX_WAIT_S = 60;

  private static final String PEER_INFO = "peer_info";
  private static final BigInteger MAX_SINCE_SECS = BigInteger.valueOf(2_592_000);
  private static final int MAX_NUMBER_LENGTH = 40;

  static FeedQuery read(HttpServletRequest request, boolean isOwn) {
    return new FeedQuery(
        isOwn,
        false,
        given(request, "type").map(Text::clean),
        given(request, "since_id"),
        given(request, "since_secs").map(FeedQuery::sinceSecs),
        given(request, "before_ts").flatMap(text -> TimeParameter.read("before_ts", text)),
        given(request, "peer_id").map(Ids::parse),
        given(request, "source").map(word -> oneOf(SourceFilter.values(), "source", word)),
        given(request, "limit").map(FeedQuery::limit).orElse(DEFAULT_LIMIT),
        given(request, "order").map(word -> oneOf(Order.values(), "order", word)),
        given(request, "wait").map(FeedQuery::seconds).orElse(Duration.ZERO),
        include(request));
  }

  /** Reads a chat request, which has only {@code limit} and {@code before_ts}. */
  static FeedQuery readChat(HttpServletRequest request) {
    return new FeedQuery(
        false,
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        given(request, "before_ts").flatMap(text -> TimeParameter.read("before_ts", text)),
        Optional.empty(),
        Optional.of(SourceFilter.CANVAS),
        given(request, "limit").map(FeedQuery::limit).orElse(DEFAULT_LIMIT),
        Optional.of(Order.DESC),
        Duration.ZERO,
        Set.of());
  }

  /** Returns the same query of an agent that polls, or of one that does not. */
  FeedQuery ofAgentThatPolls(boolean does) {
    return new FeedQuery(
        isOwn,
        does,
        type,
        sinceId,
        sinceSecs,
        beforeTs,
        peerId,
        source,
        limit,
        givenOrder,
        waitAtMost,
        include);
  }

  /** Tells whether a request for one row includes {@code peer_info}. */
  static boolean wantsPeerInfo(HttpServletRequest request) {
    return include(request).contains(PEER_INFO);
  }

  private static Set<String> include(HttpServletRequest request) {
    return given(request, "include")
        .map(words -> Set.copyOf(Arrays.asList(words.strip().split("\\s*,\\s*"))))
        .orElse(Set.of());
  }

  /** Tells whether the request is a poll (R6.3). */
  boolean isPoll() {
    return sinceId.isPresent()
        || (isOwn
            && polls
            && asksForReceived()
            && source.isEmpty()
            && peerId.isEmpty()
            && !(wantsPeerInfo() && sinceSecs.isPresent()));
  }

  boolean isOldestFirst() {
    return givenOrder.orElse(isPoll() ? Order.ASC : Order.DESC) == Order.ASC;
  }

  /** Tells whether the read starts after the last acknowledged row (R6.3). */
  boolean startsAfterAcked() {
    return isPoll() && sinceId.isEmpty() && sinceSecs.isEmpty();
  }

  /** Tells whether the cursor states how far the agent has read (R3.2). */
  boolean reportsReadPosition() {
    return isOwn && sinceId.isPresent();
  }

  /** Tells whether the query reads forward from a cursor. Later reads then find only newer rows. */
  boolean hasCursor() {
    return sinceId.isPresent() && isOldestFirst();
  }

  /** Tells whether an empty result means that the agent has read the whole feed. */
  boolean asksForAllThatIsNew() {
    return isOwn
        && isPoll()
        && (type.isEmpty() || asksForReceived())
        && source.isEmpty()
        && peerId.isEmpty()
        && !isBoundByTime();
  }

  /** Tells whether times bound the query, so that its range depends on when it runs. */
  boolean isBoundByTime() {
    return sinceSecs.isPresent() || beforeTs.isPresent();
  }

  /**
   * Tells whether the query leaves out the agent's own rows (R6.5). Otherwise an agent could answer
   * itself.
   */
  boolean leavesOutOwn() {
    return isOwn && asksForReceived() && !include.contains("self");
  }

  /** Tells whether the query is for messages to the agent, without rows of its own. */
  boolean asksForMessagesOnly() {
    return leavesOutOwn() && !bringsBackNotifications();
  }

  boolean bringsBackNotifications() {
    return include.contains("notify");
  }

  boolean wantsPeerInfo() {
    return include.contains(PEER_INFO);
  }

  private boolean asksForReceived() {
    return type.equals(Optional.of(NewActivity.RECEIVED));
  }

  private static Optional<String> given(HttpServletRequest request, String name) {
    return Optional.ofNullable(request.getParameter(name)).filter(text -> !text.isEmpty());
  }

  private static Optional<BigInteger> wholeNumber(String text) {
    try {
      return text.length() > MAX_NUMBER_LENGTH
          ? Optional.empty()
          : Optional.of(new BigInteger(text.strip()));
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }

  private static Duration sinceSecs(String text) {
    BigInteger seconds =
        wholeNumber(text)
            .orElseThrow(() ->
                ProblemException.validation(
                    "since_secs: not a whole number of up to "
                        + MAX_NUMBER_LENGTH
                        + " digits (expected: seconds, 1..2592000)"));
    return Duration.ofSeconds(seconds.max(BigInteger.ONE).min(MAX_SINCE_SECS).longValueExact());
  }

  private static int limit(String text) {
    return wholeNumber(text)
        .filter(number -> number.signum() > 0)
        .map(number -> number.min(BigInteger.valueOf(MAX_LIMIT)).intValueExact())
        .orElse(DEFAULT_LIMIT);
  }

  private static Duration seconds(String text) {
    return wholeNumber(text)
        .filter(number -> number.signum() >= 0)
        .filter(number -> number.compareTo(BigInteger.valueOf(MAX_WAIT_S)) <= 0)
        .map(number -> Duration.ofSeconds(number.longValueExact()))
        .orElseThrow(
            () -> ProblemException.validation("wait: not usable (expected: whole seconds, 0..60)"));
  }

  private static <E extends Enum<E>> E oneOf(E[] words, String name, String given) {
    return Arrays.stream(words)
        .filter(word -> word.name().toLowerCase(Locale.ROOT).equals(given))
        .findFirst()
        .orElseThrow(() ->
            ProblemException.validation(
                name
                    + ": not usable (expected one of: "
                    + Arrays.toString(words).toLowerCase(Locale.ROOT)
                    + ")"));
  }
}
