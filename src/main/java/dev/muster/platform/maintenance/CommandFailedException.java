package dev.muster.platform.maintenance;

/** Says in one sentence why a command failed, and what to do. It names no password and no token. */
final class CommandFailedException extends RuntimeException {

  CommandFailedException(String sentence) {
    super(sentence);
  }

  CommandFailedException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
