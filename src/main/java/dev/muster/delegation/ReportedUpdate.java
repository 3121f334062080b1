package dev.muster.delegation;

import dev.muster.platform.json.JsonBody;
import dev.muster.platform.problem.ProblemException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What a party of a delegation says how it stands (R8.4). */
final class ReportedUpdate {

  private static final int LONGEST_WORD = 64;

  private ReportedUpdate() {}

  static Change read(JsonBody body) {
    String status = body.isText("status") ? body.text("status", LONGEST_WORD).orElse("") : "";
    return switch (status) {
      case "in_progress" -> new Change.Started();
      case "completed" -> new Change.Completed(result(body), false);
      case "failed" ->
          new Change.Failed(
              body.text("error", Integer.MAX_VALUE).orElse(""),
              body.text("error_kind", LONGEST_WORD).filter(kind -> !kind.isBlank()).orElse(null));
      default ->
          throw ProblemException.validation(
              "status must be one of: in_progress, completed, failed");
    };
  }

  /** A result that is no text is kept as the JSON it is. */
  private static WholeText result(JsonBody body) {
    Optional<String> preview = body.text("response_preview", Integer.MAX_VALUE);
    Optional<String> whole =
        body.tree("result").filter(JsonNode::isString).isPresent()
            ? body.text("result", Integer.MAX_VALUE)
            : body.rawJson("result").map(json -> json.text());
    return whole
        .map(
            text -> preview.map(cut -> WholeText.of(text, cut)).orElseGet(() -> WholeText.of(text)))
        .orElseGet(() -> WholeText.of(preview.orElse("")));
  }
}
