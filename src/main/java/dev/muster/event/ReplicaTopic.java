package dev.muster.event;

/** Topics of the notifications between replicas; the names are part of the notification text. */
public enum ReplicaTopic {
  EVENTS,
  FEEDS,
  RUNTIME
}
