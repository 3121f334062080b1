package dev.muster.heartbeat;

/** What a beat, merged with what was known before, says about a workspace's health. */
record HealthSignals(boolean wedged, double errorRate, boolean nativeStatus) {}
