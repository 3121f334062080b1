package dev.muster.live;

/** Groups the three sources of one stream. */
record Sources(RecordedSource recorded, LiveSource live, LastValueSource values) {

  boolean haveMore() {
    return recorded.hasMore() || live.hasMore() || values.hasMore();
  }
}
