package dev.muster.runtime;

/** What became of a post. */
sealed interface SubmissionResult {

  record Accepted(int events) implements SubmissionResult {}

  /** Its workspace was removed, or is gone altogether. */
  record NoWorkspace() implements SubmissionResult {}
}
