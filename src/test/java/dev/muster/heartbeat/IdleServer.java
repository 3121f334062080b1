package dev.muster.heartbeat;

import dev.muster.testing.SharedResources;
import dev.muster.testing.TestServer;

/**
 * A server that sweeps once at its start, when it has no workspace, and not again during the tests.
 */
final class IdleServer {

  static final TestServer SERVER = TestServer.startWithoutSweeps();

  static {
    SharedResources.run(SERVER::close);
  }

  private IdleServer() {}

  /** Makes the uptime a day, so that a sweep at the present time sees no uptime gap. */
  static void beUpForADay() {
    SERVER
        .database()
        .execute("UPDATE control_plane_uptime SET up_since = now() - interval '1 day'");
  }
}
