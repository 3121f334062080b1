package dev.muster.live;

/** Who opened a stream: what it shows, and the credential that must stay good. */
record Subscriber(Viewer viewer, Standing standing) {}
