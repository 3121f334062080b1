package dev.muster.protocol.client;

import java.time.Duration;

/** Waits between two attempts. */
@FunctionalInterface
public interface Pause {

  Pause SLEEPING = Thread::sleep;

  void take(Duration duration) throws InterruptedException;
}
