package dev.muster.protocol.client;

/** The progress of an attempt; the order of the constants matters. */
enum AttemptPhase {
  RESOLVING(FailureKind.UNKNOWN_HOST),
  CONNECTING(FailureKind.CONNECT_TIMEOUT),
  SECURING(FailureKind.CONNECT_TIMEOUT),
  /** The first phase in which the peer may receive a byte of the request. */
  SENDING(FailureKind.WRITE_TIMEOUT),
  AWAITING(FailureKind.READ_TIMEOUT),
  READING(FailureKind.READ_TIMEOUT),
  /** Reading is paused, because other responses use all the memory. */
  WAITING_FOR_ROOM(FailureKind.NO_ROOM);

  private final FailureKind whenTooLong;

  AttemptPhase(FailureKind whenTooLong) {
    this.whenTooLong = whenTooLong;
  }

  FailureKind whenTooLong() {
    return whenTooLong;
  }

  boolean mayHaveArrived() {
    return compareTo(SENDING) >= 0;
  }
}
