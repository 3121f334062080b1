package dev.muster.bench;

import dev.muster.bench.ClosedLoop.Load;
import dev.muster.bench.DepthTable.Figure;
import dev.muster.bench.DepthTable.Outcome;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What backlogs of 1, 10 and 100 times a size cost those who are not part of them, and whether they
 * are worked off; printed as a Markdown table, with the heartbeats of an innocent agent beside each
 * figure.
 *
 * <p>Arguments, all optional: how many sizes (3), and the names of backlogs (all).
 */
public final class DepthBench {

  /** A kind of backlog on a server of its own. */
  interface Backlog extends AutoCloseable {

    /** Measures all figures at a size, from 0. The sizes come in their order. */
    void measure(int size) throws Exception;

    @Override
    default void close() {}
  }

  @FunctionalInterface
  private interface Start {
    Backlog on(DepthServer server) throws Exception;
  }

  private static final int READS = 50;

  private static final Map<String, Start> BACKLOGS = new LinkedHashMap<>();

  static {
    BACKLOGS.put("queue", server -> new QueueDepth(server, 20));
    BACKLOGS.put("queue-of-one", server -> new QueueDepth(server, 1));
    BACKLOGS.put("feed", FeedDepth::new);
    BACKLOGS.put("ledger", LedgerDepth::new);
    BACKLOGS.put("events", EventDepth::new);
    BACKLOGS.put("workspaces", WorkspaceDepth::new);
    BACKLOGS.put("removal", RemovalDepth::new);
  }

  private DepthBench() {}

  public static void main(String[] args) throws Exception {
    int sizes = args.length > 0 ? Integer.parseInt(args[0]) : DepthTable.SIZES;
    List<String> chosen =
        args.length > 1 ? List.of(args).subList(1, args.length) : List.copyOf(BACKLOGS.keySet());
    DepthTable table = new DepthTable();
    for (String name : chosen) {
      Start start = BACKLOGS.get(name);
      if (start == null) {
        throw new IllegalArgumentException(name + " (expected: " + BACKLOGS.keySet() + ")");
      }
      try (DepthServer server = DepthServer.start(table);
          Backlog backlog = start.on(server)) {
        for (int size = 0; size < sizes; size++) {
          backlog.measure(size);
        }
      }
    }
    table.print();
  }

  /** Returns the median time of a read, of some after another. */
  static Outcome reads(DepthServer server, Figure figure, String path, String token)
      throws IOException, InterruptedException {
    Load load = ClosedLoop.run(server.port(), 1, READS, _ -> ClosedLoop.get(path, token));
    return Outcome.of(figure, load.median(), load.refused());
  }
}
