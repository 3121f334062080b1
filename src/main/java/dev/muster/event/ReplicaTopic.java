package dev.muster.event;

/** What replicas call each other about; the names are what they read. */
public enum ReplicaTopic {
  EVENTS,
  FEEDS,
  RUNTIME
}
