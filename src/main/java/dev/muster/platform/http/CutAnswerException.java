package dev.muster.platform.http;

import java.io.IOException;
import org.eclipse.jetty.io.QuietException;

/**
 * Cuts the connection of an answer that had begun when its request failed, so that the client sees
 * that it is incomplete. Jetty logs no stack trace for it.
 */
final class CutAnswerException extends IOException implements QuietException {

  private static final long serialVersionUID = 1;

  CutAnswerException(String message) {
    super(message);
  }
}
