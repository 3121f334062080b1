package dev.muster.platform.text;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;

/** Parses an id: the 36-character form of a UUID and nothing else (R0.3). */
public final class Ids {

  private static final int LENGTH = 36;

  private Ids() {}

  /** Parses {@code text}, or refuses it with {@code INVALID_ID}. */
  public static UUID parse(String text) {
    if (text.length() == LENGTH) {
      try {
        UUID id = UUID.fromString(text);
        // fromString accepts short groups; comparing with its toString rejects them
        if (id.toString().equalsIgnoreCase(text)) {
          return id;
        }
      } catch (IllegalArgumentException notAUuid) {
        // falls through to the shared error below
      }
    }
    throw new ProblemException(
        ErrorCode.INVALID_ID,
        "\"" + Text.cut(Text.clean(text), LENGTH) + "\" is not an id (expected: a UUID)");
  }
}
