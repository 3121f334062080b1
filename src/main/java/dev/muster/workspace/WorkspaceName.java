package dev.muster.workspace;

import dev.muster.platform.json.JsonBody;
import dev.muster.platform.problem.ProblemException;
import java.util.Optional;

/** The rule of workspace names: 1 to 255 characters, none of them a control character. */
final class WorkspaceName {

  static final int MAX_LENGTH = 255;

  private WorkspaceName() {}

  static String required(JsonBody body) {
    String name = body.requiredText("name", MAX_LENGTH);
    if (name.codePoints().anyMatch(Character::isISOControl)) {
      throw ProblemException.validation(
          "name: has a control character (expected: 1 to 255 characters, none of them control)");
    }
    return name;
  }

  /**
   * Of a text that was not written as a name: control characters become spaces; empty when nothing
   * is left.
   */
  static Optional<String> made(String text) {
    String name =
        text.codePoints()
            .map(c -> Character.isISOControl(c) ? ' ' : c)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString()
            .strip();
    return name.isEmpty() ? Optional.empty() : Optional.of(name);
  }
}
