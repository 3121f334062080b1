package dev.muster.protocol.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Sends JSON-RPC requests to agents and retries network failures (R7.10).
 *
 * <p>One client serves any number of threads and targets. Calls block and are intended for virtual
 * threads.
 *
 * <p>A send returns by its deadline, whatever the peer, the network or the name service does. Only
 * a {@link StreamSink} can delay it further. An interrupt of a virtual thread ends the send at
 * once, and the interrupt flag stays set; on a platform thread the network does not notice it. A
 * programming error found before the request is sent, such as an invalid header, is thrown
 * unchanged, and so is one of a sink.
 */
public final class A2aClient implements AutoCloseable {

  /** The configured collaborators of a client. */
  record Parts(RetryPolicy policy, RetryBudget budget, AttemptListener listener, Sleeper sleeper) {}

  /** Builds a client; defaults are the policy of R7.10 and no budget, guard or listener. */
  public static final class Builder {

    private RetryPolicy policy = RetryPolicy.DEFAULT;
    private RetryBudget budget = RetryBudget.UNLIMITED;
    private TargetGuard guard = TargetGuard.NONE;
    private AttemptListener listener = AttemptListener.NONE;
    private Sleeper sleeper = Sleeper.SLEEPING;

    private Builder() {}

    public Builder policy(RetryPolicy policy) {
      this.policy = policy;
      return this;
    }

    public Builder budget(RetryBudget budget) {
      this.budget = budget;
      return this;
    }

    public Builder guard(TargetGuard guard) {
      this.guard = guard;
      return this;
    }

    public Builder listener(AttemptListener listener) {
      this.listener = listener;
      return this;
    }

    /** Sets the wait between attempts; tests can replace it to avoid delays. */
    public Builder pause(Sleeper sleeper) {
      this.sleeper = sleeper;
      return this;
    }

    public A2aClient build() {
      return new A2aClient(
          new Parts(policy, budget, listener, sleeper),
          new Transport(guard, policy.connectTimeout()));
    }
  }

  /** Waits between two attempts. */
  @FunctionalInterface
  public interface Sleeper {

    Sleeper SLEEPING = Thread::sleep;

    void take(Duration duration) throws InterruptedException;
  }

  /** Receives the outcome of each attempt, for metrics. */
  @FunctionalInterface
  public interface AttemptListener {

    AttemptListener NONE = (target, outcome) -> {};

    /**
     * Called after an attempt has ended.
     *
     * @param outcome {@code answered}, {@code rpc_error}, {@code http_error}, {@code malformed},
     *     {@code streamed}, {@code stream_broken}, or a {@link FailureKind#word}
     */
    void attempted(String target, String outcome);
  }

  /** Limits retries, so that they do not overload a failing target (R7.10). */
  public interface RetryBudget {

    /** Allows every retry, for a sender with few requests, such as an agent. */
    RetryBudget UNLIMITED =
        new RetryBudget() {
          @Override
          public void sent(String target) {}

          @Override
          public boolean mayRetry(String target) {
            return true;
          }
        };

    /** Counts the start of a send, whatever attempts it will need. */
    void sent(String target);

    /** Takes one retry from the budget; returns false when none is left for now. */
    boolean mayRetry(String target);
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

  /** Sends a request whose response is one JSON document. */
  public A2aResult send(A2aRequest request) {
    return run(request, null);
  }

  /**
   * Sends a {@code message/stream} request; an event stream goes to the sink.
   *
   * <p>A JSON document in the response becomes an {@code Answer} as usual.
   */
  public A2aResult send(A2aRequest request, StreamSink sink) {
    return run(request, sink);
  }

  private A2aResult run(A2aRequest request, @Nullable StreamSink sink) {
    return new RetryingSend(parts, transport, request, sink).run();
  }

  /** Closes idle connections; active sends continue. */
  @Override
  public void close() {
    transport.close();
  }
}
