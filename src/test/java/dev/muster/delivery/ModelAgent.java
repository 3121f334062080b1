package dev.muster.delivery;

import dev.muster.delivery.ModelCommand.Behavior;

/** Behaves as it is told, to what it holds too. */
final class ModelAgent implements CountingAgent.Work {

  private Behavior behavior = Behavior.ANSWERS;

  synchronized void behave(Behavior now) {
    behavior = now;
    notifyAll();
  }

  @Override
  public synchronized int on(String messageId) throws InterruptedException {
    while (behavior == Behavior.IS_SILENT) {
      wait();
    }
    return behavior.status;
  }
}
