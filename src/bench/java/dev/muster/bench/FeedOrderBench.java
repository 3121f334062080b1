package dev.muster.bench;

import dev.muster.message.feed.FeedOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * The full form of the proof that readers of a feed see each row once and in order.
 *
 * <p>The rows are written and read in parts, each in a new database. A file keeps the finished
 * parts, so the same command continues after an end in between.
 *
 * <p>Arguments, all optional: rows (10,000,000), rows of a part (500,000), the file of finished
 * parts ({@code target/feed-order.txt}).
 */
public final class FeedOrderBench {

  private static final Duration MAX_PART = Duration.ofHours(2);

  private FeedOrderBench() {}

  public static void main(String[] args) throws Exception {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : 10_000_000;
    long rowsOfPart = args.length > 1 ? Long.parseLong(args[1]) : 500_000;
    Path finished = Path.of(args.length > 2 ? args[2] : "target/feed-order.txt");
    for (long read = rowsIn(finished); read < rows; read = rowsIn(finished)) {
      System.out.printf("%,d of %,d rows so far, in %s%n", read, rows, finished);
      runPart(Math.min(rowsOfPart, rows - read), finished);
    }
    System.out.printf("%,d rows: none lost, none repeated, none misordered%n", rowsIn(finished));
  }

  private static void runPart(long rows, Path finished) throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        var program =
            new FeedOrder(new FeedOrder.Size(rows, MAX_PART, 500), database.forTestServers())) {
      String verdict = program.run();
      System.out.println(verdict);
      Files.writeString(
          finished,
          program.stored() + " " + verdict + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  /** Each line of the file begins with the number of rows of one part. */
  private static long rowsIn(Path finished) throws IOException {
    if (!Files.exists(finished)) {
      return 0;
    }
    return Files.readAllLines(finished).stream()
        .mapToLong(line -> Long.parseLong(line.substring(0, line.indexOf(' '))))
        .sum();
  }
}
