package dev.muster.bench;

import dev.muster.message.flow.FaultPoint;
import dev.muster.message.flow.FaultPoints;
import java.util.List;

/**
 * The full form of the proof that no message is lost or completed twice: a replica is killed, or
 * stopped until its lease has lapsed and continued, on both sides of every statement that it sends.
 * It fails at the first point where that is not so. Periods are five times shorter than in
 * production, unless {@code -Dbench.jvm=-Dtest.pace=1} is given.
 *
 * <p>Arguments, all optional: faults injected at once (4), the part of the points to test (1) and
 * the number of parts (1), for a proof in pieces. A point's name decides its part, since runs may
 * observe different statements.
 */
public final class FaultPointsBench {

  private FaultPointsBench() {}

  public static void main(String[] args) throws Exception {
    int atOnce = args.length > 0 ? Integer.parseInt(args[0]) : 4;
    int part = args.length > 1 ? Integer.parseInt(args[1]) : 1;
    int parts = args.length > 2 ? Integer.parseInt(args[2]) : 1;
    try (BenchDatabase database = BenchDatabase.start();
        FaultPoints faults =
            new FaultPoints(database.forTestServers(), database.folder().resolve("none"))) {
      List<FaultPoint> all = faults.all();
      List<FaultPoint> points =
          all.stream()
              .filter(point -> Math.floorMod(point.toString().hashCode(), parts) == part - 1)
              .toList();
      System.out.printf("%d of %d points, %d at once%n", points.size(), all.size(), atOnce);
      List<FaultPoint> missed = faults.inject(points, atOnce);
      missed.forEach(point -> System.out.println("not reached: " + point));
      System.out.printf("%d points: all is well%n", points.size() - missed.size());
    }
  }
}
