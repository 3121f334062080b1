package dev.muster.identity;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Admits further callers to a route. Without it a route requires a live credential of the admin, an
 * operator or a workspace (R1.4, nothing fails open). The route itself checks the caller's right to
 * its target.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RouteAccess {

  CallerKind[] value();

  /** Kinds of callers that a route admits besides the admin, operators and workspaces. */
  enum CallerKind {
    /** Every caller; a live credential only selects the rate limit. */
    PUBLIC,
    /** A request without a credential; an invalid one is still refused. */
    ANONYMOUS,
    /** The agent of a removed workspace (R1.5). */
    REMOVED_AGENT,
    /** A viewer, who only reads (R1.7); routes without this kind refuse viewers. */
    VIEWER
  }
}
