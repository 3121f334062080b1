package dev.muster.live;

import java.io.IOException;
import java.time.Duration;

/** Knows for how long a client has not taken what is being sent to it. */
final class SendTimeout {

  /** Something that returns when the client's side has taken it. */
  interface Sending {
    void run() throws IOException;
  }

  private volatile boolean sending;
  private volatile long since;

  void watch(Sending work) throws IOException {
    since = System.nanoTime();
    sending = true;
    try {
      work.run();
    } catch (RuntimeException e) {
      // how much the client got is not known: it comes back and says so itself
      throw new IOException("a stream cannot be written to", e);
    } finally {
      sending = false;
    }
  }

  boolean isStuckFor(Duration timeout) {
    return sending && System.nanoTime() - since > timeout.toNanos();
  }
}
