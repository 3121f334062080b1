package dev.muster.agent;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reports the progress or the end of a delegation, as its caller or callee (R8.4). */
public sealed interface DelegationReport {

  /** The callee works on the delegation. */
  record InProgress() implements DelegationReport {}

  /**
   * The delegation is done, with this result. Use {@link AgentClient#reply} for a result above the
   * body limit of a report (256 KiB).
   */
  record Completed(String result) implements DelegationReport {}

  /**
   * The delegation failed.
   *
   * @param error why; a text above the body limit of a report (256 KiB) is cut
   * @param kind a word such as {@code Timeout}, or {@code ""}; {@code Cancelled} is never retried
   *     automatically
   */
  record Failed(String error, String kind) implements DelegationReport {}

  private ObjectNode status(String word) {
    return JsonNodeFactory.instance.objectNode().put("status", word);
  }

  /** Returns the request body that the server expects. */
  default ObjectNode toJson() {
    return switch (this) {
      case InProgress ignored -> status("in_progress");
      case Completed(String result) -> status("completed").put("result", result);
      case Failed(String error, String kind) -> {
        ObjectNode body = status("failed").put("error", TextLimit.USUAL.cut(error));
        yield kind.isEmpty() ? body : body.put("error_kind", kind);
      }
    };
  }
}
