package dev.muster.identity;

/** The separate rate limits that routes count against (docs/api.md, section 11). */
public enum RateLimitBucket {
  /** Every route without another limit. */
  GENERAL,
  /** Heartbeats, which a busy agent must still be able to send. */
  HEARTBEAT,
  /** Routes that agents poll. */
  POLL,
  /** Not limited: probe routes, and routes that count their requests themselves. */
  NONE
}
