package dev.muster.a2a.queue;

import java.util.Locale;

/** What is carried, and so in which order and how many at once. */
public enum QueueKind {

  /** Somebody's message: those of one sender go one after the other. */
  MESSAGE,

  /** A delegation's: none waits for another. */
  ERRAND,

  /** How a delegation ended: its agent may be at work only because it waits for this. */
  RESULT;

  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Of a stored word. */
  static QueueKind of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
