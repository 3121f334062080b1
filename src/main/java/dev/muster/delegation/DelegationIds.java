package dev.muster.delegation;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import java.util.Set;

/** Validates the ids of delegations, and derives those of their messages from them (R8.3, R8.7). */
final class DelegationIds {

  static final int MAX_LENGTH = 128;

  private static final char RETRY = '~';

  /**
   * The server refuses paths with these characters, encoded or not. U+FFFD replaces a character
   * that was lost.
   */
  private static final String UNNAMEABLE = "/\\%\uFFFD";

  private static final Set<String> SEGMENTS_WITH_A_MEANING = Set.of(".", "..", "record");

  private DelegationIds() {}

  /**
   * Reads the id that a caller gives to a delegation which it sends itself; throws {@code
   * VALIDATION_FAILED} for one that a path could not name.
   */
  static String read(JsonBody body) {
    String id = body.requiredText("delegation_id", Integer.MAX_VALUE);
    boolean isValid =
        id.codePointCount(0, id.length()) <= MAX_LENGTH
            && !SEGMENTS_WITH_A_MEANING.contains(id)
            && id.codePoints()
                .noneMatch(c -> Character.isISOControl(c) || UNNAMEABLE.indexOf(c) >= 0);
    if (!isValid) {
      throw ProblemException.validation(
          "delegation_id: too long, with a character that no path can name, or the word record"
              + " (expected: 1 to 128 characters, like a UUID)");
    }
    return id;
  }

  static ProblemException unknown(String id) {
    return new ProblemException(
        ErrorCode.NOT_FOUND, "no delegation " + id + " is known here, or no longer");
  }

  /** Returns the id of the message of a delegation after this many retries. */
  static String ofMessage(String delegationId, int retryCount) {
    return retryCount == 0 ? delegationId : delegationId + RETRY + retryCount;
  }

  static String ofResult(String delegationId) {
    return delegationId + ":result";
  }

  /** Returns the delegation id if {@code messageId} is one of a retry; else {@code messageId}. */
  static String withoutRetry(String messageId) {
    int mark = messageId.lastIndexOf(RETRY);
    return mark > 0 && messageId.substring(mark + 1).matches("[1-9][0-9]{0,9}")
        ? messageId.substring(0, mark)
        : messageId;
  }
}
