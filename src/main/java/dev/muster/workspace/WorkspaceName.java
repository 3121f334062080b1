package dev.muster.workspace;

import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.Text;
import java.util.Optional;

/** Checks workspace names: one line of 1 to 255 characters ({@link Text#isOneLine}). */
final class WorkspaceName {

  static final int MAX_LENGTH = 255;

  private WorkspaceName() {}

  static String required(JsonBody body) {
    String name = body.requiredText("name", MAX_LENGTH);
    if (!Text.isOneLine(name)) {
      throw ProblemException.validation(
          "name: has a control character (expected: one line of 1 to 255 characters, none of them a"
              + " control or a mark of direction)");
    }
    return name;
  }

  /** Makes a name of another text ({@link Text#oneLine}). Empty when nothing is left. */
  static Optional<String> made(String text) {
    String name = Text.oneLine(text).strip();
    return name.isEmpty() ? Optional.empty() : Optional.of(name);
  }
}
