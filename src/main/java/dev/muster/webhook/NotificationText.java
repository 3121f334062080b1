package dev.muster.webhook;

import dev.muster.platform.text.Text;
import dev.muster.webhook.TroubleRepository.Counts;
import dev.muster.webhook.TroubleRepository.Listed;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the sentence of a notification, for a person in a chat.
 *
 * <p>Names and errors come from agents. Characters that chats read as mark-up or mentions are
 * replaced by similar ones, and so is the colon of a link.
 */
final class NotificationText {

  private static final int MAX_NAME = 80;
  private static final int MAX_ERROR = 160;

  /** The maximum number of workspaces or delegations that a sentence names. */
  private static final int NAMED = 3;

  private static final String MARKUP = "<>&@`*[]|";
  private static final String LOOKALIKE = "‹›＆＠'∗()¦";

  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private NotificationText() {}

  static String trouble(Cause cause, Counts counts, List<Listed> listed) {
    boolean isOne = counts.unwell() == 1;
    String who =
        isOne
            ? one(cause, listed.getFirst()) + " is"
            : many(cause, counts.unreported(), counts.unwell());
    String begin = isOne ? " since " : names(cause, counts.unwell(), listed) + ", the first since ";
    return who
        + " "
        + cause.status()
        + begin
        + minute(counts.since())
        + ": "
        + why(cause, isOne, listed.getFirst().error())
        + ".";
  }

  static String recovered(Cause cause, Counts counts, List<Listed> listed) {
    String well =
        switch (cause.status()) {
          case Cause.STUCK, Cause.STALLED -> "no longer " + cause.status();
          default -> "well again";
        };
    if (counts.reported() == 1) {
      return one(cause, listed.getFirst())
          + " is "
          + well
          + "; it was "
          + cause.status()
          + " since "
          + minute(counts.since())
          + ".";
    }
    String all = number(counts.reported()) + " " + plural(cause) + " that were " + cause.status();
    boolean areNamed = counts.well() <= NAMED && counts.well() == listed.size();
    return (counts.well() == counts.reported() ? "All " : number(counts.well()) + " of ")
        + all
        + (counts.well() == 1 ? " is " : " are ")
        + well
        + (areNamed ? ": " + list(cause, listed) : "")
        + ".";
  }

  static String suspended(long silent, long live, Instant until) {
    return "%s of %s agents fell silent at once. None is taken offline until %s. Check the network between agents and server first."
        .formatted(number(silent), number(live), minute(until));
  }

  static String resumed() {
    return "Silent agents are taken offline again, after too many had fallen silent at once.";
  }

  static String upAgain(Instant downSince, Instant upSince) {
    return "The server is up again since %s; no replica worked from %s on. No agent is taken offline for its silence in that time."
        .formatted(minute(upSince), minute(downSince));
  }

  private static String one(Cause cause, Listed listed) {
    return cause.status().equals(Cause.STUCK)
        ? "Delegation " + harmless(listed.subject(), MAX_NAME) + " (" + named(cause, listed) + ")"
        : "Workspace " + named(cause, listed);
  }

  private static String named(Cause cause, Listed listed) {
    String name = quoted(listed.name(), listed.workspaceId());
    return cause.status().equals(Cause.STUCK)
        ? name + " to " + quoted(listed.targetName(), listed.targetId())
        : name;
  }

  private static String quoted(@Nullable String name, @Nullable UUID id) {
    return "“" + (name == null ? String.valueOf(id) : harmless(name, MAX_NAME)) + "”";
  }

  /** Names some of {@code count}, or all of them if they are few. */
  private static String names(Cause cause, int count, List<Listed> listed) {
    List<Listed> some = listed.subList(0, Math.min(listed.size(), NAMED));
    return (some.size() < count ? ", among them " : ", ") + list(cause, some);
  }

  private static String list(Cause cause, List<Listed> listed) {
    List<String> names = listed.stream().map(one -> named(cause, one)).toList();
    int last = names.size() - 1;
    return last == 0
        ? names.getFirst()
        : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }

  private static String many(Cause cause, int unreported, int unwell) {
    return unreported == unwell
        ? number(unwell) + " " + plural(cause) + " are"
        : number(unreported) + " more, " + number(unwell) + " " + plural(cause) + " in all are";
  }

  private static String plural(Cause cause) {
    return cause.status().equals(Cause.STUCK) ? "delegations" : "workspaces";
  }

  private static String why(Cause cause, boolean isOne, @Nullable String error) {
    String why =
        switch (cause.reason()) {
          case "silence" -> "no heartbeat arrives";
          case "callee_silent" -> isOne ? "the callee fell silent" : "the callees fell silent";
          case "writes_nothing" -> "heartbeats arrive, tasks are open, and nothing is written";
          case "runtime_wedged" ->
              isOne ? "the agent's runtime is wedged" : "the agents' runtimes are wedged";
          case "error_rate" -> "many requests to the runtime fail";
          default -> "for several reasons";
        };
    return error == null || error.isBlank() ? why : why + ", “" + harmless(error, MAX_ERROR) + "”";
  }

  /** Returns the text on one line, without what a chat shows as mark-up, a mention or a link. */
  static String harmless(String text, int maxCharacters) {
    StringBuilder result = new StringBuilder();
    Text.cut(text, maxCharacters)
        .replace("://", "∶//")
        .codePoints()
        .forEach(character -> result.appendCodePoint(harmless(character)));
    return result.toString().strip();
  }

  private static int harmless(int character) {
    int found = MARKUP.indexOf(character);
    if (found >= 0) {
      return LOOKALIKE.charAt(found);
    }
    int type = Character.getType(character);
    boolean isUnseen =
        type == Character.CONTROL
            || type == Character.FORMAT
            || type == Character.LINE_SEPARATOR
            || type == Character.PARAGRAPH_SEPARATOR;
    return isUnseen ? ' ' : character;
  }

  private static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String minute(@Nullable Instant time) {
    return time == null ? "now" : MINUTE.format(time);
  }
}
