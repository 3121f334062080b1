package dev.muster.live;

import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;

/** Who opened a stream: what it shows, and the credential that must stay good. */
record StreamSubscriber(EventAudience viewer, CredentialRecheck standing) {

  Caller caller() {
    return standing.caller();
  }
}
