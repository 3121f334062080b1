package dev.muster.protocol.client;

/** Keeps retries from burying a target that is in trouble already (R7.10). */
public interface RetryBudget {

  /** For a sender with few requests of its own, as an agent is. */
  RetryBudget UNLIMITED =
      new RetryBudget() {
        @Override
        public void sent(String target) {}

        @Override
        public boolean mayRetry(String target) {
          return true;
        }
      };

  /** A send has begun, whatever attempts it will need. */
  void sent(String target);

  /** Takes a retry out of the budget; false when there is none left for now. */
  boolean mayRetry(String target);
}
