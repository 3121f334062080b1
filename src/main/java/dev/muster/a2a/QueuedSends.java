package dev.muster.a2a;

import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.A2aRequest;
import dev.muster.protocol.client.A2aResult;

/** The client of the queue: one attempt a send, since the queue has pauses of its own. */
record QueuedSends(A2aClient client) implements AutoCloseable {

  A2aResult send(A2aRequest request) {
    return client.send(request);
  }

  @Override
  public void close() {
    client.close();
  }
}
