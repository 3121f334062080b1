package dev.muster.testing;

import dev.muster.MusterApplication;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Halves the start time of server processes by the JVM's ahead-of-time cache of one recorded start
 * (JEP 514). It works with jars only. Recording takes as long as two starts, so the first servers
 * start without.
 */
final class StartCache {

  private static final int STARTS_WITHOUT = 2;

  /** Servers start without the cache if its recording fails. */
  private static final Duration MAX_DURATION = Duration.ofMinutes(3);

  private static int starts;
  private static @Nullable StartCache made;

  private final Path file;
  private final String classpath;

  private StartCache(Path file, String classpath) {
    this.file = file;
    this.classpath = classpath;
  }

  /** The command up to its class path; the main class follows. */
  static List<String> command() throws IOException {
    @Nullable StartCache cache = cache();
    List<String> command = new ArrayList<>(java());
    if (cache == null) {
      command.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    } else {
      command.addAll(List.of("-XX:AOTCache=" + cache.file, "-classpath", cache.classpath));
    }
    return command;
  }

  private static List<String> java() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC");
  }

  private static synchronized @Nullable StartCache cache() throws IOException {
    starts++;
    if (starts == STARTS_WITHOUT + 1) {
      Path folder = Files.createTempDirectory("muster-start-");
      SharedResources.run(() -> SharedResources.delete(folder));
      StartCache cache = new StartCache(folder.resolve("server.aot"), jars(folder));
      cache.record();
      made = Files.exists(cache.file) ? cache : null;
    }
    return made;
  }

  private static String jars(Path folder) {
    return Pattern.compile(File.pathSeparator)
        .splitAsStream(System.getProperty("java.class.path"))
        .map(entry -> Files.isDirectory(Path.of(entry)) ? jar(folder, entry) : entry)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String jar(Path folder, String classes) {
    Path jar = folder.resolve(Path.of(classes).getFileName() + ".jar");
    int failed =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(System.out, System.err, "-c", "-0", "-f", jar.toString(), "-C", classes, ".");
    if (failed != 0) {
      throw new AssertionError("no jar could be made of " + classes);
    }
    return jar.toString();
  }

  private void record() throws IOException {
    List<String> command = new ArrayList<>(java());
    command.addAll(
        List.of(
            "-XX:AOTCacheOutput=" + file,
            "-Dspring.context.exit=onRefresh",
            "-classpath",
            classpath,
            MusterApplication.class.getName()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("DATABASE_URL", TestDatabases.create().url());
    builder.environment().put("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
    builder.environment().put("SERVER_PORT", "0");
    Process recorded = builder.start();
    recorded
        .onExit()
        .completeOnTimeout(recorded, MAX_DURATION.toSeconds(), TimeUnit.SECONDS)
        .join();
    recorded.destroyForcibly();
  }
}
