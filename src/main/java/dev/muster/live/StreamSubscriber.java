package dev.muster.live;

import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;

/** Holds what a stream shows and the credential that must stay valid. */
record StreamSubscriber(EventAudience audience, CredentialRecheck recheck, StreamView view) {

  Caller caller() {
    return recheck.caller();
  }
}
