package dev.muster.protocol;

/** Thrown when the input is no runtime event; the message states what was expected. */
public final class UndecodableEventException extends IllegalArgumentException {

  UndecodableEventException(String message) {
    super(message);
  }
}
