package dev.muster.protocol.client;

import java.time.Duration;

/** Waits between two attempts. */
@FunctionalInterface
public interface Sleeper {

  Sleeper SLEEPING = Thread::sleep;

  void take(Duration duration) throws InterruptedException;
}
