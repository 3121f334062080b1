package dev.muster.webhook;

import dev.muster.platform.text.Text;
import dev.muster.webhook.WebhookSettings.Kind;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The cause of trouble. All workspaces or delegations with one cause are reported in one
 * notification.
 *
 * @param status one of the words below
 * @param reason one of the words below, or the {@code degraded_reason} of a degraded workspace;
 *     empty when several causes are reported as one
 * @param pattern the error without the parts that differ between agents; empty without an error
 */
record Cause(String status, String reason, String pattern) {

  static final String DEGRADED = "degraded";
  static final String OFFLINE = "offline";
  static final String STUCK = "stuck";
  static final String STALLED = "stalled";
  static final String SUSPENDED = "suspended";
  static final String DOWN = "down";

  static final Cause SILENCE = new Cause(OFFLINE, "silence", "");
  static final Cause CALLEE_SILENT = new Cause(STUCK, "callee_silent", "");
  static final Cause WRITES_NOTHING = new Cause(STALLED, "writes_nothing", "");
  static final Cause MASS_SILENCE = new Cause(SUSPENDED, "mass_silence", "");
  static final Cause UPTIME_GAP = new Cause(DOWN, "uptime_gap", "");

  /** One cause of each status that troubles have. */
  static final List<Cause> TROUBLES =
      List.of(new Cause(DEGRADED, "", ""), SILENCE, CALLEE_SILENT, WRITES_NOTHING);

  /**
   * Limits the time that the patterns take. Errors that differ only after this length have one
   * cause.
   */
  private static final int MAX_ERROR = 400;

  private static final int MAX_PATTERN = 160;

  private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}-[0-9a-f-]{27}");
  private static final Pattern QUOTED = Pattern.compile("[\"'`“‘][^\"'`“‘”’]*[\"'`”’]");
  private static final Pattern HEX =
      Pattern.compile("\\b0x[0-9a-f]+\\b|\\b(?=[0-9a-f]*\\d)[0-9a-f]{6,}\\b");
  private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,:]\\d+)*");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  /**
   * Returns the error without ids, numbers and quoted texts. The console groups errors in the same
   * way.
   */
  static String pattern(@Nullable String error) {
    if (error == null) {
      return "";
    }
    String result = Text.cut(error, MAX_ERROR).toLowerCase(Locale.ROOT);
    for (Pattern differing : new Pattern[] {UUID, QUOTED, HEX, NUMBER}) {
      result = differing.matcher(result).replaceAll("#");
    }
    return Text.cut(SPACE.matcher(result).replaceAll(" ").strip(), MAX_PATTERN);
  }

  Kind kind() {
    return switch (status) {
      case DEGRADED -> Kind.DEGRADED;
      case OFFLINE, SUSPENDED -> Kind.OFFLINE;
      case STUCK, STALLED -> Kind.STUCK;
      default -> Kind.RECOVERED;
    };
  }

  /** Returns the cause that represents all causes with this status. */
  Cause anyOfItsStatus() {
    return new Cause(status, "", "");
  }
}
