package dev.muster.runtime;

/** What became of a post. */
sealed interface PostResult {

  record Accepted(int events) implements PostResult {}

  /** Its workspace was removed, or is gone altogether. */
  record NoWorkspace() implements PostResult {}
}
