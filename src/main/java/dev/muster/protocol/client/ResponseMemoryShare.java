package dev.muster.protocol.client;

/**
 * What the answers of one target, or of one sender, may hold; guarded by the lock of the {@link
 * ResponseMemoryBudget}. One answer alone may have more.
 */
final class ResponseMemoryShare {

  private final long most;
  private long taken;
  private int users;

  ResponseMemoryShare(long most) {
    this.most = most;
  }

  /** {@code held} is what the one that asks has already. */
  boolean hasRoom(long held, long bytes) {
    return bytes <= most - taken || taken == held;
  }

  void take(long bytes) {
    taken += bytes;
  }

  void giveBack(long bytes) {
    taken -= bytes;
  }

  void enter() {
    users++;
  }

  /** Whether it is still of use. */
  boolean leave() {
    users--;
    return users > 0 || taken > 0;
  }
}
