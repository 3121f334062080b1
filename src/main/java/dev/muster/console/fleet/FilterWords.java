package dev.muster.console.fleet;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Text;
import dev.muster.workspace.WorkspaceStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Holds the words that a filter may contain. Refuses all others with the list of allowed words. */
final class FilterWords {

  static final List<String> CONDITIONS = List.of("stalled", "bad", "queued");

  private static final List<String> KEYS =
      List.of(
          "status", "reason", "runtime", "role", "tier", "mode", "parent", "under", "name", "error",
          "task", "is", "silent", "since");

  private static final List<String> COMPARED = List.of("silent", "since");

  /** The allowed values of each key; for keys with free values, examples. */
  private static final Map<String, List<String>> WORDS =
      Map.of(
          "status",
          Arrays.stream(WorkspaceStatus.values()).map(WorkspaceStatus::wire).toList(),
          "reason",
          List.of("runtime_wedged", "error_rate", "none"),
          "mode",
          List.of("push", "poll"),
          "is",
          CONDITIONS,
          "tier",
          List.of("1", "2", "3"),
          "parent",
          List.of("none", "the id of a workspace"),
          "silent",
          List.of("30s", "5m", "2h", "1d"),
          "since",
          List.of("30s", "5m", "2h", "1d", "02:00"));

  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern PARENT = Pattern.compile("none|" + ID);
  private static final Pattern TIER = Pattern.compile("[0-9]{1,9}");
  static final Pattern DURATION = Pattern.compile("([0-9]{1,6})([smhd])");
  static final Pattern TIME = Pattern.compile("([01]?[0-9]|2[0-3]):([0-5][0-9])");
  private static final Pattern MOMENT = Pattern.compile(DURATION + "|" + TIME);

  private FilterWords() {}

  /** Refuses an unknown key, an operator that the key does not take, and unknown values. */
  static void require(FilterTerm term) {
    String key = term.key();
    if (key.isEmpty()) {
      return;
    }
    if (!KEYS.contains(key)) {
      throw unknown(key, KEYS);
    }
    if (COMPARED.contains(key) == (term.operator() == ':')) {
      throw unknown(
          term.word(), COMPARED.contains(key) ? List.of(key + ">", key + "<") : List.of(key + ":"));
    }
    List<String> words = WORDS.getOrDefault(key, List.of());
    if (term.values().isEmpty()) {
      throw unknown(term.word(), words);
    }
    term.values().stream()
        .filter(value -> !isKnown(key, value, words))
        .findFirst()
        .ifPresent(value -> {
          throw unknown(value, words);
        });
  }

  private static boolean isKnown(String key, String value, List<String> words) {
    return switch (key) {
      case "status", "reason", "mode", "is" -> words.contains(value);
      case "tier" -> TIER.matcher(value).matches();
      case "parent" -> PARENT.matcher(value).matches();
      case "silent" -> DURATION.matcher(value).matches();
      case "since" -> MOMENT.matcher(value).matches();
      default -> true;
    };
  }

  /** Returns examples of times of day, or of durations. */
  static List<String> ofOneKind(boolean isTime) {
    return isTime ? List.of("02:00") : WORDS.getOrDefault("silent", List.of());
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Refuses a word; {@code words} are the allowed words in its place, or examples of them. */
  static ProblemException unknown(String word, List<String> words) {
    String shown = Text.cut(word, 100);
    String detail =
        words.isEmpty()
            ? "q: " + shown + " has no value (expected: a text, such as " + shown + "abc)"
            : "q: \""
                + shown
                + "\" is no word of the filter (expected: "
                + String.join(", ", words)
                + "; a text with a colon goes into quotes)";
    return new ProblemException(
        ErrorCode.VALIDATION_FAILED, detail, Map.of("word", shown, "words", words));
  }
}
