package dev.muster.heartbeat;

/** The health signals of a heartbeat, merged with the stored state. */
record HealthSignals(boolean wedged, double errorRate, boolean nativeStatus) {}
