package dev.muster.platform.embedded;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** Describes an I/O failure; the JDK's message for a denied access is only a path. */
public final class IoFailureText {

  private IoFailureText() {}

  public static String of(IOException failure) {
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
