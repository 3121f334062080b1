package dev.muster.webhook;

import java.util.Locale;

/** The kind of a notification, a word of {@code WEBHOOK_KINDS} and of its member {@code kind}. */
enum Kind {
  DEGRADED,
  OFFLINE,
  STUCK,
  RECOVERED;

  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
