package dev.muster.protocol;

/** What was given is no runtime event; the message says to people what was expected. */
public final class UndecodableEventException extends IllegalArgumentException {

  UndecodableEventException(String message) {
    super(message);
  }
}
