package dev.muster.platform.uptime;

/**
 * Checks one precondition for serving agents.
 *
 * <p>A replica counts as up only while all beans of this type are good.
 */
public interface ReplicaHealthCheck {

  boolean isGood();
}
