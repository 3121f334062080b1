package dev.muster.live;

/** Groups the three sources of one stream. */
record Sources(Source recorded, Source live, Source values) {

  boolean haveMore() {
    return recorded.hasMore() || live.hasMore() || values.hasMore();
  }
}
