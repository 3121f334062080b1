package dev.muster.protocol.client;

import java.io.IOException;

/** Thrown when a response that holds counted memory is below the required rate. */
final class ResponseTooSlowException extends IOException {
  private static final long serialVersionUID = 1L;
}
