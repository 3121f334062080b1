package dev.muster.protocol.client;

/** How far an attempt has come; the order counts. */
enum AttemptPhase {
  RESOLVING(FailureKind.UNKNOWN_HOST),
  CONNECTING(FailureKind.CONNECT_TIMEOUT),
  SECURING(FailureKind.CONNECT_TIMEOUT),
  /** The first in which the peer may get a byte of the request. */
  SENDING(FailureKind.WRITE_TIMEOUT),
  AWAITING(FailureKind.READ_TIMEOUT),
  READING(FailureKind.READ_TIMEOUT),
  /** In the middle of an answer, which others leave no memory for. */
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
