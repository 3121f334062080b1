package dev.muster.bench;

import dev.muster.bench.DepthTable.Figure;

/** Recorded events. */
final class EventDepth implements DepthBench.Backlog {

  private static final int[] EVENTS = {10_000, 100_000, 1_000_000};

  private static final String RECORDED = "10,000, 100,000, 1,000,000 events";
  private static final Figure PAGE = Figure.of(RECORDED, "a page of events, ms", "%.1f");
  private static final Figure RARE =
      Figure.of(RECORDED, "a page of events of a rare type, ms", "%.1f");
  private static final Figure OPERATIONS =
      Figure.of(RECORDED, "the page of operations, ms", "%.1f");

  private final DepthServer server;
  private int recorded;

  EventDepth(DepthServer server) {
    this.server = server;
  }

  @Override
  public void measure(int size) throws Exception {
    BenchBacklog.record(server, recorded, EVENTS[size]);
    recorded = EVENTS[size];
    server.settle();
    read(size, PAGE, "/events?limit=100");
    read(size, RARE, "/events?type=WORKSPACE_REMOVED");
    read(size, OPERATIONS, "/admin/operations");
  }

  private void read(int size, Figure figure, String path) throws Exception {
    server.measure(size, () -> DepthBench.reads(server, figure, path, AdminClient.TOKEN));
  }
}
