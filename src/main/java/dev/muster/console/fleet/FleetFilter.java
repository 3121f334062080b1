package dev.muster.console.fleet;

import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a filter of the fleet to the parameters of {@link MatchingFleet}'s statement.
 *
 * <p>Terms are joined by <em>and</em>, commas are <em>or</em>, {@code -} negates, quotes group. The
 * cases in {@code filter-cases.json} test this parser and the browser's.
 */
final class FleetFilter {

  private static final int MAX_LENGTH = 500;
  private static final UUID NO_PARENT = new UUID(0, 0);

  /** Every workspace matches. */
  static final FleetFilter ALL = new FleetFilter(Instant.EPOCH);

  /**
   * The values that a column may have: those of {@code allowed}, or all if that is null, without
   * those of {@code denied}.
   */
  private static final class Choice {
    private @Nullable Set<Object> allowed;
    private final Set<Object> denied = new LinkedHashSet<>();

    void add(boolean isNegated, List<?> values) {
      if (isNegated) {
        denied.addAll(values);
      } else if (allowed == null) {
        allowed = new LinkedHashSet<>(values);
      } else {
        allowed.retainAll(values);
      }
    }
  }

  private final Instant now;
  private final Map<String, Choice> choices = new HashMap<>();
  private final Map<String, List<String>> lists = new TreeMap<>();
  private final List<Integer> branchTerms = new ArrayList<>();
  private final List<String> branches = new ArrayList<>();
  private final List<Integer> insideOf = new ArrayList<>();
  private final List<Integer> outsideOf = new ArrayList<>();

  private FleetFilter(Instant now) {
    this.now = now;
  }

  /**
   * Reads a query.
   *
   * @param now the time that {@code silent} and {@code since} count from
   * @throws ProblemException {@code VALIDATION_FAILED} for an unknown word, with the {@code word}
   *     and the {@code words} that exist
   */
  static FleetFilter read(String query, Instant now) {
    if (query.length() > MAX_LENGTH) {
      throw ProblemException.validation(
          "q: " + query.length() + " characters (expected: at most " + MAX_LENGTH + ")");
    }
    FleetFilter filter = new FleetFilter(now);
    for (FilterTerm term : FilterTerm.read(Text.clean(query))) {
      FilterWords.require(term);
      filter.add(term);
    }
    return filter;
  }

  private void add(FilterTerm term) {
    List<String> values = term.values();
    switch (term.key()) {
      case "status", "reason", "mode", "runtime" -> choose(term, values);
      case "tier" -> choose(term, values.stream().map(Integer::valueOf).toList());
      case "parent" ->
          choose(
              term,
              values.stream()
                  .map(value -> value.equals("none") ? NO_PARENT : UUID.fromString(value))
                  .toList());
      case "is" -> choose(term, conditions(values));
      case "under" -> addBranch(term);
      case "silent" -> addSilence(term);
      case "since" -> addSince(term);
      default ->
          list(term.isNegated(), term.key().isEmpty() ? "words" : term.key()).add(pattern(values));
    }
  }

  private void choose(FilterTerm term, List<?> values) {
    choices.computeIfAbsent(term.key(), key -> new Choice()).add(term.isNegated(), values);
  }

  private List<String> list(boolean isNegated, String name) {
    return lists.computeIfAbsent((isNegated ? "not_" : "") + name, key -> new ArrayList<>());
  }

  /** Returns the bit sets that contain one of the named conditions; each condition is one bit. */
  private static List<Integer> conditions(List<String> names) {
    int wanted =
        names.stream()
            .mapToInt(name -> 1 << FilterWords.CONDITIONS.indexOf(name))
            .reduce(0, (a, b) -> a | b);
    return IntStream.range(0, 1 << FilterWords.CONDITIONS.size())
        .filter(sum -> (sum & wanted) != 0)
        .boxed()
        .toList();
  }

  /**
   * Returns a regular expression that finds any of the texts; it escapes every special character.
   */
  private static String pattern(List<String> texts) {
    return texts.stream()
        .map(text -> text.replaceAll("[\\\\.^$*+?()\\[\\]{}|]", "\\\\$0"))
        .collect(Collectors.joining("|"));
  }

  private void addBranch(FilterTerm term) {
    int number = insideOf.size() + outsideOf.size();
    (term.isNegated() ? outsideOf : insideOf).add(number);
    for (String top : term.values()) {
      branchTerms.add(number);
      branches.add(top);
    }
  }

  private void addSilence(FilterTerm term) {
    boolean isLonger = term.operator() == '>';
    list(term.isNegated(), isLonger ? "heartbeat_before" : "heartbeat_after")
        .add(bound(term.values().stream().map(this::ago).toList(), isLonger));
  }

  /** Compares a duration with the age of the status, and a time of day with its start. */
  private void addSince(FilterTerm term) {
    boolean isTime = FilterWords.TIME.matcher(term.values().getFirst()).matches();
    term.values().stream()
        .filter(value -> FilterWords.TIME.matcher(value).matches() != isTime)
        .findFirst()
        .ifPresent(value -> {
          throw FilterWords.unknown(value, FilterWords.ofOneKind(isTime));
        });
    boolean isBefore = (term.operator() == '<') == isTime;
    list(term.isNegated(), isBefore ? "since_before" : "since_after")
        .add(
            bound(
                term.values().stream().map(value -> isTime ? last(value) : ago(value)).toList(),
                isBefore));
  }

  /** Returns the bound of the widest alternative. */
  private static String bound(List<Instant> moments, boolean isBefore) {
    Comparator<Instant> order = Comparator.naturalOrder();
    Optional<Instant> widest = isBefore ? moments.stream().max(order) : moments.stream().min(order);
    return widest.orElseThrow().toString();
  }

  private Instant ago(String duration) {
    Matcher parts = FilterWords.DURATION.matcher(duration);
    if (!parts.matches()) {
      throw new IllegalArgumentException(duration);
    }
    long number = Long.parseLong(parts.group(1));
    return now.minus(
        switch (parts.group(2)) {
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          default -> Duration.ofDays(number);
        });
  }

  /** Returns the last moment with this time of day, in UTC. */
  private Instant last(String time) {
    OffsetDateTime today =
        now.atOffset(ZoneOffset.UTC)
            .with(LocalTime.parse(time.length() == "2:00".length() ? "0" + time : time));
    return (today.toInstant().isAfter(now) ? today.minusDays(1) : today).toInstant();
  }

  /** Returns the parameters of {@link MatchingFleet}'s statement, all of them. */
  Map<String, @Nullable Object> parameters() {
    Map<String, @Nullable Object> all = new HashMap<>();
    for (String column : List.of("status", "reason", "mode", "runtime", "tier", "parent", "is")) {
      Choice choice = choices.getOrDefault(column, new Choice());
      all.put(column, choice.allowed == null ? null : array(column, choice.allowed));
      all.put("not_" + column, array(column, choice.denied));
    }
    for (String name :
        List.of(
            "words",
            "name",
            "role",
            "error",
            "task",
            "heartbeat_before",
            "heartbeat_after",
            "since_before",
            "since_after")) {
      all.put(name, lists.getOrDefault(name, List.of()).toArray(String[]::new));
      all.put("not_" + name, lists.getOrDefault("not_" + name, List.of()).toArray(String[]::new));
    }
    all.put("branch_terms", branchTerms.toArray(Integer[]::new));
    all.put("branches", branches.toArray(String[]::new));
    all.put("inside_of", insideOf.toArray(Integer[]::new));
    all.put("outside_of", outsideOf.toArray(Integer[]::new));
    return all;
  }

  private static Object array(String column, Set<Object> values) {
    return switch (column) {
      case "tier", "is" -> values.toArray(Integer[]::new);
      case "parent" -> values.toArray(UUID[]::new);
      default -> values.toArray(String[]::new);
    };
  }
}
