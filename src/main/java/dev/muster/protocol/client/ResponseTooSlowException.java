package dev.muster.protocol.client;

import java.io.IOException;

/** An answer holds memory and does not come at its pace. */
final class ResponseTooSlowException extends IOException {
  private static final long serialVersionUID = 1L;
}
