package dev.muster.live;

/** What one stream tells. */
record Sources(RecordedSource recorded, LiveSource live, ValueSource values) {

  boolean haveNews() {
    return recorded.hasNews() || live.hasNews() || values.hasNews();
  }
}
