package dev.muster.message.flow;

import dev.muster.message.flow.ModelCommand.Behavior;
import java.util.ArrayList;
import java.util.List;

/** Applies its current behaviour to new calls and to the calls that it holds. */
final class ModelAgent implements CountingAgent.Work {

  /** A call without an answer yet. */
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

  /** Answers the first held call of this message, and keeps holding the others. */
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
