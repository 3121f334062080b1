package dev.muster.message.flow;

import dev.muster.message.flow.ModelWorld.UndecidedException;
import dev.muster.testing.MachinePauses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs {@link ModelRun}s side by side, one for each seed; shortens a run that fails. */
public final class ModelRuns {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration SHORTENING_TIMEOUT = Duration.ofSeconds(4);
  private static final Duration MAX_SHORTENING = Duration.ofSeconds(60);

  /** Such a part of the runs may end undecided, on a machine that is too busy for its database. */
  private static final double MAX_UNDECIDED = 0.02;

  /**
   * The number of seeds from the first one on, of commands for each, of concurrent runs, and the
   * time limit.
   */
  public record Size(long firstSeed, int runs, int commands, int atOnce, Duration atMost) {}

  private final ModelServers servers;
  private final Size size;

  public ModelRuns(ModelServers servers, Size size) {
    this.servers = servers;
    this.size = size;
  }

  /** Returns a summary in one sentence; fails with the seed and the commands. */
  public String run() throws IOException {
    MachinePauses pauses = new MachinePauses();
    long start = System.nanoTime();
    AtomicLong seeds = new AtomicLong(size.firstSeed);
    AtomicInteger done = new AtomicInteger();
    Queue<String> undecided = new ConcurrentLinkedQueue<>();
    AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
    try (ExecutorService lanes = Executors.newFixedThreadPool(size.atOnce)) {
      for (int i = 0; i < size.atOnce; i++) {
        lanes.execute(() -> {
          long seed = seeds.getAndIncrement();
          while (failure.get() == null
              && seed < size.firstSeed + size.runs
              && System.nanoTime() - start < size.atMost.toNanos()) {
            List<ModelCommand> commands = CommandGenerator.commands(seed, size.commands);
            try {
              @Nullable Failure ofThis = play(commands, TIMEOUT);
              if (ofThis == null) {
                done.incrementAndGet();
              } else {
                failure.compareAndSet(null, ofThis.of(seed));
              }
            } catch (UndecidedException e) {
              undecided.add("seed " + seed + ": " + e.getMessage());
            }
            seed = seeds.getAndIncrement();
          }
        });
      }
    }
    pauses.close();
    @Nullable Failure first = failure.get();
    if (first != null) {
      throw new AssertionError(first + "\nshortened to\n" + shorten(first), first.cause());
    }
    // a commit that takes longer than the 3 s of a statement leaves a run of each lane undecided
    int paused = pauses.longest().compareTo(Duration.ofSeconds(2)) > 0 ? size.atOnce : 1;
    if (done.get() == 0 || undecided.size() > paused + done.get() * MAX_UNDECIDED) {
      throw new AssertionError(
          "of %d runs, the servers could not tell in\n%s"
              .formatted(done.get() + undecided.size(), String.join("\n", undecided)));
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    return "%,d runs of %d commands (%d more undecided) from seed %d in %.1f s: %.0f commands a second"
        .formatted(
            done.get(),
            size.commands,
            undecided.size(),
            size.firstSeed,
            seconds,
            done.get() * size.commands / seconds);
  }

  /** The commands up to the one after which server and model differ, or which failed. */
  private record Failure(long seed, List<ModelCommand> commands, Throwable cause) {

    Failure of(long itsSeed) {
      return new Failure(itsSeed, commands, cause);
    }

    @Override
    public String toString() {
      return "seed "
          + seed
          + ", "
          + commands.size()
          + " commands:"
          + commands.stream().map(one -> "\n  " + one).collect(Collectors.joining())
          + "\n"
          + cause.getMessage();
    }
  }

  /**
   * Plays one run to its end.
   *
   * @return null when servers and model agree
   * @throws UndecidedException when a server could not tell the outcome of a command
   */
  private @Nullable Failure play(List<ModelCommand> commands, Duration timeout) {
    int next = 0;
    try (ModelRun run = new ModelRun(servers, timeout)) {
      while (next < commands.size()) {
        run.apply(commands.get(next));
        next++;
      }
      run.end();
      return null;
    } catch (UndecidedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      return new Failure(0, commands.subList(0, Math.min(next + 1, commands.size())), e);
    }
  }

  /** Removes halves, quarters and so on of the commands, as long as the run still fails. */
  private Failure shorten(Failure failure) {
    long start = System.nanoTime();
    Failure shortest = failure;
    for (int part = failure.commands.size() / 2; part >= 1; part /= 2) {
      int from = 0;
      while (from < shortest.commands.size()
          && System.nanoTime() - start < MAX_SHORTENING.toNanos()) {
        int to = Math.min(shortest.commands.size(), from + part);
        List<ModelCommand> shorter = new ArrayList<>(shortest.commands.subList(0, from));
        shorter.addAll(shortest.commands.subList(to, shortest.commands.size()));
        @Nullable Failure still = playAgain(shorter);
        if (still == null) {
          from += part;
        } else {
          shortest = still.of(failure.seed);
        }
      }
    }
    return shortest;
  }

  /** Returns null also for a run that is undecided: it does not show the failure. */
  private @Nullable Failure playAgain(List<ModelCommand> commands) {
    try {
      return play(commands, SHORTENING_TIMEOUT);
    } catch (UndecidedException _) {
      return null;
    }
  }
}
