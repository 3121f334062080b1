package dev.muster.protocol.client;

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
