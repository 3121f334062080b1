package dev.muster.delegation;

import dev.muster.platform.json.JsonBody;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.ErrorText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What is to become of a delegation. */
sealed interface DelegationCommand {

  enum Step implements DelegationCommand {
    /** It is on its way to its callee. */
    DISPATCH,
    /** Its callee has it. */
    START,
    /** Its callee is at work on it right now (R8.5). */
    HEARTBEAT,
    /** An operator wants it delivered again (R8.9). */
    RETRY
  }

  /**
   * {@code callerNotified}: its caller learns of it by the callee's own message, and needs no row
   * for it (R8.7).
   */
  record Complete(PreviewedText result, boolean callerNotified) implements DelegationCommand {}

  /** The error is kept without secrets (R6.9); {@code kind} is a word for programs (R9.1). */
  record Fail(String error, @Nullable String kind) implements DelegationCommand {

    private static final String NO_REASON = "failed, without a reason";

    public Fail {
      String kept = ErrorText.kept(error);
      error = kept.isBlank() ? NO_REASON : kept;
    }

    Fail(String error) {
      this(error, null);
    }
  }

  int LONGEST_WORD = 64;

  /** What its caller or its callee reports (R8.4); refuses with 400 what is no report. */
  static DelegationCommand reported(JsonBody body) {
    String status = body.isText("status") ? body.text("status", LONGEST_WORD).orElse("") : "";
    return switch (status) {
      case "in_progress" -> Step.START;
      case "completed" -> new Complete(result(body), false);
      case "failed" ->
          new Fail(
              body.text("error", Integer.MAX_VALUE).orElse(""),
              body.text("error_kind", LONGEST_WORD).filter(kind -> !kind.isBlank()).orElse(null));
      default ->
          throw ProblemException.validation(
              "status must be one of: in_progress, completed, failed");
    };
  }

  /** A result that is no text is kept as the JSON it is. */
  private static PreviewedText result(JsonBody body) {
    Optional<String> preview = body.text("response_preview", Integer.MAX_VALUE);
    Optional<String> whole =
        body.tree("result").filter(JsonNode::isString).isPresent()
            ? body.text("result", Integer.MAX_VALUE)
            : body.rawJson("result").map(json -> json.text());
    return whole
        .map(text ->
            preview.map(cut -> PreviewedText.of(text, cut)).orElseGet(() -> PreviewedText.of(text)))
        .orElseGet(() -> PreviewedText.of(preview.orElse("")));
  }
}
