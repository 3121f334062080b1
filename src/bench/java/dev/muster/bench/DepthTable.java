package dev.muster.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The figures of {@link DepthBench} at each size, printed as a Markdown table. */
final class DepthTable {

  static final int SIZES = 3;

  /** The most that a heartbeat's p99 may be beside a backlog, of what it is without. */
  private static final int MAX_TIMES_QUIET = 5;

  /** What a value of the largest size must be. */
  private enum Sign {
    NONE(""),
    AT_LEAST("≥ "),
    AT_MOST("≤ ");

    private final String text;

    Sign(String text) {
      this.text = text;
    }
  }

  /**
   * What is measured.
   *
   * @param backlog what there are 1, 10 and 100 times of
   * @param format of a value
   */
  record Figure(String backlog, String words, String format, Sign sign, double goal) {

    static Figure of(String backlog, String words, String format) {
      return new Figure(backlog, words, format, Sign.NONE, 0);
    }

    Figure atLeast(double bound) {
      return new Figure(backlog, words, format, Sign.AT_LEAST, bound);
    }

    Figure atMost(double bound) {
      return new Figure(backlog, words, format, Sign.AT_MOST, bound);
    }

    /** A value that is no number meets no goal. */
    private boolean isMetBy(double value) {
      return switch (sign) {
        case NONE -> true;
        case AT_LEAST -> value >= goal;
        case AT_MOST -> value <= goal;
      };
    }

    private String goalText() {
      return sign == Sign.NONE ? "" : sign.text + number(goal);
    }

    private static String number(double value) {
      return value == Math.rint(value) ? Long.toString(Math.round(value)) : Double.toString(value);
    }
  }

  /**
   * What was measured at one size.
   *
   * @param values NaN where the work could not be done
   * @param refused requests of the work that were not answered with 2xx
   */
  record Outcome(Map<Figure, Double> values, int refused) {

    static Outcome of(Figure figure, double value, int refused) {
      return new Outcome(Map.of(figure, value), refused);
    }
  }

  private record Cell(double value, int refused, Paced heartbeats, double quiet) {}

  private final Map<Figure, @Nullable Cell[]> rows = new LinkedHashMap<>();

  /**
   * Adds what was measured at a size, from 0.
   *
   * @param quiet the p99 of heartbeats without a backlog, in ms
   */
  void add(int size, Outcome outcome, Paced heartbeats, double quiet) {
    outcome
        .values()
        .forEach((figure, value) -> {
          Cell cell = new Cell(value, outcome.refused(), heartbeats, quiet);
          rows.computeIfAbsent(figure, _ -> new @Nullable Cell[SIZES])[size] = cell;
          System.out.printf(
              Locale.ROOT,
              "%s, size %d: %s: "
                  + figure.format()
                  + "; refused %d; heartbeats p99 %.1f ms (quiet %.1f), refused %d%n",
              figure.backlog(),
              size,
              figure.words(),
              value,
              cell.refused(),
              heartbeats.p99(),
              quiet,
              heartbeats.refused());
        });
  }

  void print() {
    System.out.println(
        """
        | backlog | figure | goal | 1x | 10x | 100x | last ÷ 1x | heartbeat p99, ms (quiet) | refused: of these, heartbeats |
        |---|---|---|---|---|---|---|---|---|\
        """);
    rows.forEach((figure, cells) -> System.out.println(line(figure, cells)));
  }

  private static String line(Figure figure, @Nullable Cell[] cells) {
    List<Cell> measured = Arrays.stream(cells).filter(Objects::nonNull).toList();
    Cell last = measured.getLast();
    String values =
        Arrays.stream(cells)
            .map(cell -> cell == null ? "" : text(figure.format(), cell.value()))
            .collect(Collectors.joining(" | "));
    return "| %s | %s | %s | %s | %s | %s (%s) | %s |"
        .formatted(
            figure.backlog(),
            figure.words(),
            figure.goalText() + (figure.isMetBy(last.value()) ? "" : " **missed**"),
            values,
            text("%.2f", last.value() / measured.getFirst().value()),
            each(measured, DepthTable::heartbeats),
            text("%.0f", last.quiet()),
            each(measured, cell -> cell.refused() + ", " + cell.heartbeats().refused()));
  }

  private static String each(List<Cell> cells, Function<Cell, String> text) {
    return cells.stream().map(text).collect(Collectors.joining(" / "));
  }

  private static String heartbeats(Cell cell) {
    String p99 = text("%.0f", cell.heartbeats().p99());
    return cell.heartbeats().p99() > MAX_TIMES_QUIET * cell.quiet() ? "**" + p99 + "**" : p99;
  }

  private static String text(String format, double value) {
    return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, format, value);
  }
}
