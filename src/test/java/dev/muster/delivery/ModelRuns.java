package dev.muster.delivery;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs of {@link ModelRun} side by side, one for each seed; a run that fails is made shorter. */
public final class ModelRuns {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration PATIENCE_WHEN_SHORTENING = Duration.ofSeconds(4);
  private static final int MOST_TRIES = 60;

  /**
   * What to run: so many seeds from the first one on, so many commands for each, until the time is
   * over.
   */
  public record Size(long firstSeed, int runs, int commands, int atOnce, Duration atMost) {}

  private final ModelServers servers;
  private final Size size;

  public ModelRuns(ModelServers servers, Size size) {
    this.servers = servers;
    this.size = size;
  }

  /** Returns what was run, in one sentence; fails with the seed and the commands. */
  public String run() {
    long start = System.nanoTime();
    AtomicLong seeds = new AtomicLong(size.firstSeed);
    AtomicInteger done = new AtomicInteger();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (ExecutorService lanes = Executors.newFixedThreadPool(size.atOnce)) {
      for (int i = 0; i < size.atOnce; i++) {
        lanes.execute(() -> {
          long seed = seeds.getAndIncrement();
          while (failure.get() == null
              && seed < size.firstSeed + size.runs
              && System.nanoTime() - start < size.atMost.toNanos()) {
            try {
              runOne(seed);
              done.incrementAndGet();
            } catch (Exception | AssertionError e) {
              failure.compareAndSet(null, e);
            }
            seed = seeds.getAndIncrement();
          }
        });
      }
    }
    @Nullable Throwable first = failure.get();
    if (first != null) {
      throw new AssertionError(first.getMessage(), first);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    return "%,d runs of %d commands from seed %d in %.1f s: %.0f commands a second"
        .formatted(
            done.get(),
            size.commands,
            size.firstSeed,
            seconds,
            done.get() * size.commands / seconds);
  }

  private void runOne(long seed) throws IOException, SQLException {
    List<ModelCommand> commands = CommandGenerator.commands(seed, size.commands);
    try {
      play(commands, PATIENCE);
    } catch (AssertionError e) {
      List<ModelCommand> shortened = shorten(commands);
      throw new AssertionError(
          "seed %d\n%s\nshortened to\n%s\nwhich ends with\n%s"
              .formatted(seed, e.getMessage(), text(shortened), failure(shortened)),
          e);
    }
  }

  private static String text(List<ModelCommand> commands) {
    return commands.stream().map(one -> "  " + one).collect(Collectors.joining("\n"));
  }

  private void play(List<ModelCommand> commands, Duration patience)
      throws IOException, SQLException {
    try (ModelRun run = new ModelRun(servers, patience)) {
      for (int i = 0; i < commands.size(); i++) {
        try {
          run.apply(commands.get(i));
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(
              "after command %d, %s\n%s".formatted(i, commands.get(i), e.getMessage()), e);
        }
      }
      run.end();
    }
  }

  private String failure(List<ModelCommand> commands) throws IOException, SQLException {
    try {
      play(commands, PATIENCE_WHEN_SHORTENING);
      return "";
    } catch (AssertionError e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Leaves out halves, quarters and so on, as long as it still fails. */
  private List<ModelCommand> shorten(List<ModelCommand> failing) throws IOException, SQLException {
    List<ModelCommand> shortest = failing;
    int tries = 0;
    for (int part = failing.size() / 2; part >= 1; part /= 2) {
      for (int from = 0; from < shortest.size() && tries < MOST_TRIES; ) {
        List<ModelCommand> shorter = new ArrayList<>(shortest.subList(0, from));
        shorter.addAll(shortest.subList(Math.min(shortest.size(), from + part), shortest.size()));
        tries++;
        if (failure(shorter).isEmpty()) {
          from += part;
        } else {
          shortest = shorter;
        }
      }
    }
    return shortest;
  }
}
