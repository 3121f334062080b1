package dev.muster.heartbeat;

/**
 * Workspaces online or degraded; of these the silent ones; and of these the ones whose silence
 * cannot be our own fault.
 */
record FleetSilence(long live, long silent, long due) {}
