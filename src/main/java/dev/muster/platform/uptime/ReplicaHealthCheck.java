package dev.muster.platform.uptime;

/**
 * Something without which a replica serves nobody, however alive it feels; beans, all of which have
 * to be good for it to count as up.
 */
public interface ReplicaHealthCheck {

  boolean isGood();
}
