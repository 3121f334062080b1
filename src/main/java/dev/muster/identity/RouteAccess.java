package dev.muster.identity;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Widens who may call a route. Without it a route wants a live credential: the admin's, an
 * operator's or a workspace's (R1.4, nothing fails open). What a caller may do with a target is the
 * route's own decision.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RouteAccess {

  CallerKind[] value();

  /** Callers beyond those with a live credential. */
  enum CallerKind {
    /** Everybody; a good credential only decides what the request counts against. */
    PUBLIC,
    /** A request without a credential; a bad one is still refused. */
    ANONYMOUS,
    /** The agent of a removed workspace (R1.5). */
    REMOVED_AGENT,
    /** Who only reads (R1.7); every other route is closed to viewers. */
    VIEWER
  }
}
