package dev.muster.agent;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What an agent reports of a delegation that it works on, or made. */
public sealed interface DelegationReport {

  /** It is being worked on. */
  record InProgress() implements DelegationReport {}

  /**
   * It is done, with this result. For one that is larger than the body of a report may be (256 KiB)
   * there is {@link AgentClient#reply}.
   */
  record Completed(String result) implements DelegationReport {}

  /**
   * It failed.
   *
   * @param error why; one that is larger than the body of a report may be (256 KiB) is cut
   * @param kind a word such as {@code Timeout}; {@code Cancelled} is never tried again; may be
   *     {@code ""}
   */
  record Failed(String error, String kind) implements DelegationReport {}

  private ObjectNode status(String word) {
    return JsonNodeFactory.instance.objectNode().put("status", word);
  }

  /** As the platform wants it. */
  default ObjectNode toJson() {
    return switch (this) {
      case InProgress _ -> status("in_progress");
      case Completed(String result) -> status("completed").put("result", result);
      case Failed(String error, String kind) -> {
        ObjectNode body = status("failed").put("error", TextLimit.USUAL.cut(error));
        yield kind.isEmpty() ? body : body.put("error_kind", kind);
      }
    };
  }
}
