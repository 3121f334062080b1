package dev.muster.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Writes what each test class took to {@code target/class-times.csv}, which {@code src/build/times}
 * reads. A row has the columns run (an id for each start of Maven), lane, class, begin (ms since
 * 1970), wall (ms), CPU (ms, of this JVM and the processes that it started; without PostgreSQL,
 * which leaves its parent), and the time of all processors at the begin and at the end: busy and
 * idle, in hundredths of a second. Where there is no {@code /proc}, CPU and processors are 0.
 */
public final class ClassTimes implements TestExecutionListener {

  private static final Path FILE = Path.of("target", "class-times.csv");
  private static final Path PROC = Path.of("/proc");

  /** Linux counts in hundredths of a second for programs, whatever its own tick is. */
  private static final long TICK_MS = 10;

  private record Begin(Instant at, long cpuTicks, Processors processors) {}

  private record Processors(long busy, long idle) {

    static Processors now() {
      return lines(PROC.resolve("stat"))
          .findFirst()
          .map(line -> {
            List<Long> ticks =
                Stream.of(line.trim().split(" +")).skip(1).limit(8).map(Long::valueOf).toList();
            // idle and waiting for a disk
            long idle = ticks.get(3) + ticks.get(4);
            return new Processors(ticks.stream().mapToLong(t -> t).sum() - idle, idle);
          })
          .orElse(new Processors(0, 0));
    }
  }

  private final Map<String, Begin> running = new ConcurrentHashMap<>();

  @Override
  public void executionStarted(TestIdentifier test) {
    if (isTopLevelClass(test)) {
      running.put(test.getUniqueId(), new Begin(Instant.now(), cpuTicks(), Processors.now()));
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Begin begin = running.remove(test.getUniqueId());
    if (begin == null) {
      return;
    }
    Processors after = Processors.now();
    String row =
        "%s,%s,%s,%d,%d,%d,%d,%d,%d,%d\n"
            .formatted(
                System.getProperty("test.run", ""),
                System.getProperty("test.lane", ""),
                className(test),
                begin.at.toEpochMilli(),
                Duration.between(begin.at, Instant.now()).toMillis(),
                Math.max(0, cpuTicks() - begin.cpuTicks) * TICK_MS,
                begin.processors.busy,
                begin.processors.idle,
                after.busy,
                after.idle);
    try {
      Files.createDirectories(FILE.getParent());
      // one short write at the end of the file, so that rows of several JVMs do not mix
      Files.writeString(FILE, row, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isTopLevelClass(TestIdentifier test) {
    return !className(test).isEmpty() && !className(test).contains("$");
  }

  private static String className(TestIdentifier test) {
    return test.isContainer() && test.getSource().orElse(null) instanceof ClassSource source
        ? source.getClassName()
        : "";
  }

  /** The time that this JVM and its living descendants have taken, with their ended children. */
  private static long cpuTicks() {
    ProcessHandle self = ProcessHandle.current();
    return Stream.concat(Stream.of(self), self.descendants())
        .mapToLong(process -> cpuTicks(process.pid()))
        .sum();
  }

  private static long cpuTicks(long pid) {
    return lines(PROC.resolve(Long.toString(pid)).resolve("stat"))
        .findFirst()
        .map(line -> {
          // the name, in parentheses, may have spaces; after it come the 3rd field and the others
          String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
          return Stream.of(fields).skip(11).limit(4).mapToLong(Long::parseLong).sum();
        })
        .orElse(0L);
  }

  /** Empty where the file does not exist, or no longer. */
  private static Stream<String> lines(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8).lines();
    } catch (IOException gone) {
      return Stream.empty();
    }
  }
}
