package dev.muster.workspace;

import dev.muster.platform.json.JsonBody;
import dev.muster.platform.problem.ProblemException;
import java.util.Optional;

/** Checks workspace names: 1 to 255 characters, none of them a control character. */
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

  /** Makes a name of another text: control characters become spaces. Empty when nothing is left. */
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
