package dev.muster.platform.postgres;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** Words an I/O failure for a person; the JDK's message of the commonest one is a bare path. */
final class IoFailureText {

  private IoFailureText() {}

  static String of(IOException failure) {
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof FileSystemException problem && problem.getReason() != null) {
      return problem.getReason();
    }
    if (failure.getClass() == IOException.class && failure.getMessage() != null) {
      return failure.getMessage();
    }
    return failure.getClass().getSimpleName() + ": " + failure.getMessage();
  }
}
