package dev.muster.live;

/** What one stream tells. */
record Sources(RecordedSource recorded, LiveSource live, LastValueSource values) {

  boolean haveMore() {
    return recorded.hasMore() || live.hasMore() || values.hasMore();
  }
}
