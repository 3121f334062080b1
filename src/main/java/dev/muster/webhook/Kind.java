package dev.muster.webhook;

import java.util.Locale;

/** What a notification is about, as {@code WEBHOOK_KINDS} and its member {@code kind} name it. */
enum Kind {
  DEGRADED,
  OFFLINE,
  STUCK,
  RECOVERED;

  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
