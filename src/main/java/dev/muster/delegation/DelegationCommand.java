package dev.muster.delegation;

import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.ErrorText;
import dev.muster.platform.text.JsonBody;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A requested change of a delegation. */
sealed interface DelegationCommand {

  enum Step implements DelegationCommand {
    /** The message is on its way to the callee. */
    DISPATCH,
    /** The callee has the task. */
    START,
    /** The callee reports that it works on the task now (R8.5). */
    HEARTBEAT,
    /** An operator requests another delivery (R8.9). */
    RETRY
  }

  /**
   * Completes the delegation.
   *
   * @param callerNotified whether the callee's own message notifies the caller, which then needs no
   *     row (R8.7)
   */
  record Complete(PreviewedText result, boolean callerNotified) implements DelegationCommand {}

  /**
   * Fails the delegation.
   *
   * @param error stored without secrets (R6.9)
   * @param kind a word for programs (R9.1); null if there is none
   */
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

  int MAX_WORD_LENGTH = 64;

  /**
   * Reads the report of a caller or callee (R8.4); throws {@code VALIDATION_FAILED} for another
   * status.
   */
  static DelegationCommand reported(JsonBody body) {
    String status = body.isText("status") ? body.text("status", MAX_WORD_LENGTH).orElse("") : "";
    return switch (status) {
      case "in_progress" -> Step.START;
      case "completed" -> new Complete(result(body), false);
      case "failed" ->
          new Fail(
              body.text("error", Integer.MAX_VALUE).orElse(""),
              body.text("error_kind", MAX_WORD_LENGTH)
                  .filter(kind -> !kind.isBlank())
                  .orElse(null));
      default ->
          throw ProblemException.validation(
              "status must be one of: in_progress, completed, failed");
    };
  }

  /** Reads the result. A result that is not a string is kept as its JSON text. */
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
