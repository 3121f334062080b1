package dev.muster.delivery;

import dev.muster.delivery.ModelCommand.Behavior;
import java.util.ArrayList;
import java.util.List;

/** Behaves as it is told, to what it holds too. */
final class ModelAgent implements CountingAgent.Work {

  /** One call that it has not answered. */
  private static final class Held {
    final String messageId;

    Held(String messageId) {
      this.messageId = messageId;
    }
  }

  private Behavior behavior = Behavior.ANSWERS;
  private final List<Held> held = new ArrayList<>();

  synchronized void behave(Behavior now) {
    behavior = now;
    notifyAll();
  }

  /** Answers the first call that it holds of this message, and stays silent. */
  synchronized void answerOne(String messageId) {
    held.stream()
        .filter(one -> one.messageId.equals(messageId))
        .findFirst()
        .ifPresent(held::remove);
    notifyAll();
  }

  @Override
  public synchronized int on(String messageId) throws InterruptedException {
    Held call = new Held(messageId);
    held.add(call);
    while (behavior == Behavior.IS_SILENT && held.contains(call)) {
      wait();
    }
    return held.remove(call) ? behavior.status : Behavior.ANSWERS.status;
  }
}
