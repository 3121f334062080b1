package dev.muster.testing;

import java.util.List;

/** What clients do at a server until it is killed, and at the next one. */
public interface WorkUntilKilled {

  /** Each is repeated until it fails because the server is killed. */
  List<Runnable> actions(TestClient server);

  /** Whether enough was acknowledged since {@link #actions} that the server may be killed. */
  boolean isEnough();

  /** Asserts that all that was acknowledged is kept. */
  void requireKept(TestClient server);
}
