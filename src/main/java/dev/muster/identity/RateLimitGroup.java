package dev.muster.identity;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the limit of a route; without it {@link RateLimitBucket#GENERAL} applies. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitGroup {

  RateLimitBucket value();

  /** The separate rate limits that routes count against (docs/api.md, section 11). */
  enum RateLimitBucket {
    /** Every route without another limit. */
    GENERAL,
    /** Heartbeats, which a busy agent must still be able to send. */
    HEARTBEAT,
    /** Routes that agents poll. */
    POLL,
    /** Sign-ins to the console: each counts against its network, whatever its body. */
    SIGN_IN,
    /** Not limited: probe routes, and routes that count their requests themselves. */
    NONE
  }
}
