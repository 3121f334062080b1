package dev.muster.heartbeat;

import dev.muster.testing.SharedResources;
import dev.muster.testing.TestServer;

/** Sweeps once at boot, when it has no workspace, and then not before the tests are over. */
final class IdleServer {

  static final TestServer SERVER = TestServer.start("LIVENESS_SWEEP_INTERVAL_S=86400");

  static {
    SharedResources.run(SERVER::close);
  }

  private IdleServer() {}

  /** So that a sweep at the time that it really is holds no absence of ours against anybody. */
  static void beUpForADay() {
    SERVER
        .database()
        .execute("UPDATE control_plane_uptime SET up_since = now() - interval '1 day'");
  }
}
