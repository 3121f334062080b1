package dev.muster.protocol.client;

import org.jspecify.annotations.Nullable;

/**
 * Sends JSON-RPC requests to agents and tries again when the network fails (R7.10). One client
 * serves any number of threads and targets; its calls block, and are meant for virtual threads.
 *
 * <p>A send returns by its deadline, whatever the peer, the network or the name service does; only
 * a {@link StreamSink} can hold it longer. An interrupt ends it at once and stays set. Bugs that
 * show before anything is sent, such as a header that cannot be one, are thrown as they are.
 */
public final class A2aClient implements AutoCloseable {

  /** What a client is made of. */
  record Parts(RetryPolicy policy, RetryBudget budget, AttemptListener listener, Sleeper pause) {}

  /** All parts have a default: the policy of R7.10, no budget, no guard, nobody listening. */
  public static final class Builder {

    private RetryPolicy policy = RetryPolicy.DEFAULT;
    private RetryBudget budget = RetryBudget.UNLIMITED;
    private AddressGuard guard = AddressGuard.NONE;
    private AttemptListener listener = AttemptListener.NONE;
    private Sleeper pause = Sleeper.SLEEPING;

    private Builder() {}

    public Builder policy(RetryPolicy policy) {
      this.policy = policy;
      return this;
    }

    public Builder budget(RetryBudget budget) {
      this.budget = budget;
      return this;
    }

    public Builder guard(AddressGuard guard) {
      this.guard = guard;
      return this;
    }

    public Builder listener(AttemptListener listener) {
      this.listener = listener;
      return this;
    }

    /** Who waits between attempts; a test may be in a hurry. */
    public Builder pause(Sleeper pause) {
      this.pause = pause;
      return this;
    }

    public A2aClient build() {
      return new A2aClient(
          new Parts(policy, budget, listener, pause),
          new Transport(guard, policy.connectTimeout()));
    }
  }

  private final Parts parts;
  private final Transport transport;

  private A2aClient(Parts parts, Transport transport) {
    this.parts = parts;
    this.transport = transport;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** For a method that is answered with one JSON document. */
  public A2aResult send(A2aRequest request) {
    return run(request, null);
  }

  /**
   * For {@code message/stream}: when the response is a stream of events, it goes to the sink; a
   * JSON document is an answer all the same.
   */
  public A2aResult send(A2aRequest request, StreamSink sink) {
    return run(request, sink);
  }

  private A2aResult run(A2aRequest request, @Nullable StreamSink sink) {
    return new RetryingSend(parts, transport, request, sink).run();
  }

  /** Closes idle connections; sends that are under way go on to their end. */
  @Override
  public void close() {
    transport.close();
  }
}
