package dev.muster.runtime;

/** The result of a submission. */
sealed interface SubmissionResult {

  record Accepted(int events) implements SubmissionResult {}

  /** The workspace is removed or does not exist. */
  record NoWorkspace() implements SubmissionResult {}
}
