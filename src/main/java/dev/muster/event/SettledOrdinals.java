package dev.muster.event;

/**
 * Knows up to which ordinal no event can come without a number any more.
 *
 * <p>A transaction takes the ordinals of its events before it commits, and has its id by then,
 * since it has changed what they tell of. So an ordinal is settled when all transactions have ended
 * that ran when it was the newest, and a look at all events has numbered what they left. Each
 * replica finds that out for itself, once a second. Only an event that fails by itself stays
 * without a number; a look at all finds it.
 *
 * <p>Without that, each look would read past all events that were numbered since the oldest open
 * snapshot began, such as that of a backup: the index keeps them for so long.
 */
final class SettledOrdinals {

  /**
   * The state of the database before a look at all events.
   *
   * @param newestOrdinal the newest that any transaction had taken
   * @param oldestRunning the oldest transaction that was running afterwards
   * @param nextTransaction the first that had not begun then
   */
  record Moment(long newestOrdinal, long oldestRunning, long nextTransaction) {}

  private Moment candidate = new Moment(0, 0, 0);
  private volatile long upTo;

  /** Returns the ordinal up to which all events have their numbers. */
  long upTo() {
    return upTo;
  }

  /**
   * Notes that all events were looked at.
   *
   * @param before a moment before the look
   */
  void lookedAtAll(Moment before) {
    if (before.newestOrdinal() < candidate.newestOrdinal()
        || before.nextTransaction() < candidate.nextTransaction()) {
      // another database, which has lost the last commits
      upTo = 0;
      candidate = before;
    } else if (before.oldestRunning() >= candidate.nextTransaction()) {
      upTo = candidate.newestOrdinal();
      candidate = before;
    }
  }
}
