package dev.muster.live;

import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;

/** Holds what a stream shows and the credential that must stay valid. */
record StreamSubscriber(EventAudience viewer, CredentialRecheck standing) {

  Caller caller() {
    return standing.caller();
  }
}
