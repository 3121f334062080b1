package dev.muster.heartbeat;

/**
 * Counts online or degraded workspaces, silent ones, and those due to go offline.
 *
 * <p>A silent workspace is due when an uptime gap cannot explain its silence.
 */
record FleetSilence(long live, long silent, long due) {}
