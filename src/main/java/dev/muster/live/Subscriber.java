package dev.muster.live;

import dev.muster.identity.Caller;
import dev.muster.identity.Standing;

/** Who opened a stream: what it shows, and the credential that must stay good. */
record Subscriber(Viewer viewer, Standing standing) {

  Caller caller() {
    return standing.caller();
  }
}
