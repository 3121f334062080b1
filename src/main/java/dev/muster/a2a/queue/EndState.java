package dev.muster.a2a.queue;

/** How a queued message ends. */
public enum EndState {
  DELIVERED(QueueState.DELIVERED),
  FAILED(QueueState.FAILED),
  EXPIRED(QueueState.EXPIRED),
  DROPPED(QueueState.DROPPED);

  private final QueueState state;

  EndState(QueueState state) {
    this.state = state;
  }

  public QueueState state() {
    return state;
  }
}
