package dev.muster.identity;

/** What the requests to a route count against, each on its own (contract, section 11). */
public enum RateLimitBucket {
  /** Whatever has no limit of its own. */
  GENERAL,
  /** Agents' beats, so that a busy agent never falls silent. */
  HEARTBEAT,
  /** What agents ask again and again. */
  POLL,
  /** Never limited: what probes ask. */
  NONE
}
