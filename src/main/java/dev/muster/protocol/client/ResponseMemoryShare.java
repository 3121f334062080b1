package dev.muster.protocol.client;

/**
 * The memory held by the responses of one target or one sender.
 *
 * <p>Guarded by the lock of the {@link ResponseMemoryBudget}. A single response may exceed the
 * limit.
 */
final class ResponseMemoryShare {

  private final long most;
  private long taken;
  private int users;

  ResponseMemoryShare(long most) {
    this.most = most;
  }

  /**
   * Returns whether {@code bytes} fit; {@code held} is what the requesting response already has.
   */
  boolean hasRoom(long held, long bytes) {
    return bytes <= most - taken || taken == held;
  }

  void take(long bytes) {
    taken += bytes;
  }

  void release(long bytes) {
    taken -= bytes;
  }

  void enter() {
    users++;
  }

  /** Removes one user; returns whether the share is still in use. */
  boolean leave() {
    users--;
    return users > 0 || taken > 0;
  }
}
