package dev.muster.live;

import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;
import dev.muster.platform.http.Owner;

/** Holds whose stream it is, what it shows, and the credential that must stay valid. */
record StreamSubscriber(Owner owner, EventAudience audience, CredentialRecheck recheck, View view) {

  Caller caller() {
    return recheck.caller();
  }

  /** The form in which a stream sends events. */
  enum View {
    /** Recorded events, live events and last values, one frame each. */
    EVERYTHING,

    /**
     * Recorded events in batches, each at least 50 ms after the last, with the members that the
     * console shows.
     */
    CONSOLE
  }
}
