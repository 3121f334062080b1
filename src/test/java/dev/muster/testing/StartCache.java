package dev.muster.testing;

import dev.muster.MusterApplication;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Halves the start time of server processes by the JVM's ahead-of-time cache of one recorded start
 * (JEP 514). It works with jars only. It is kept in {@code target/start-cache} as long as the
 * classes are the same. Recording takes as long as two starts, so where there is none a JVM starts
 * its first servers without, and records for all JVMs unless another one does.
 */
final class StartCache {

  private static final int STARTS_WITHOUT = 2;

  private static final Path FOLDER = Path.of("target", "start-cache").toAbsolutePath();

  /** Servers start without the cache if its recording fails. */
  private static final Duration MAX_DURATION = Duration.ofMinutes(3);

  private static int starts;
  private static @Nullable String hash;

  private final Path folder;

  private StartCache(Path folder) {
    this.folder = folder;
  }

  /** The command up to its class path; the main class follows. */
  static List<String> command() throws IOException {
    @Nullable StartCache cache = cache();
    List<String> command = new ArrayList<>(java());
    if (cache == null) {
      command.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    } else {
      command.addAll(List.of("-XX:AOTCache=" + cache.recording(), "-classpath", cache.classpath()));
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
    if (hash == null) {
      hash = hash();
    }
    StartCache cache = new StartCache(FOLDER.resolve(hash));
    if (starts == STARTS_WITHOUT + 1 && !Files.exists(cache.recording())) {
      cache.record();
    }
    return Files.exists(cache.recording()) ? cache : null;
  }

  private static List<Path> entries() {
    return Pattern.compile(File.pathSeparator)
        .splitAsStream(System.getProperty("java.class.path"))
        .map(Path::of)
        .toList();
  }

  /** Of the Java version and of all that the class path holds. */
  private static String hash() throws IOException {
    CRC32C sum = new CRC32C();
    sum.update(Runtime.version().toString().getBytes(StandardCharsets.UTF_8));
    for (Path entry : entries()) {
      try (Stream<Path> files = Files.walk(entry)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          sum.update(file.toString().getBytes(StandardCharsets.UTF_8));
          if (Files.isDirectory(entry)) {
            sum.update(Files.readAllBytes(file));
          } else {
            String state = Files.size(file) + " " + Files.getLastModifiedTime(file);
            sum.update(state.getBytes(StandardCharsets.UTF_8));
          }
        }
      }
    }
    return Long.toHexString(sum.getValue());
  }

  private Path recording() {
    return folder.resolve("server.aot");
  }

  private String classpath() {
    return entries().stream()
        .map(entry -> Files.isDirectory(entry) ? folder.resolve(jarName(entry)) : entry)
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String jarName(Path classes) {
    return classes.getFileName() + ".jar";
  }

  private static void makeJar(Path jar, Path classes) {
    int failed =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-c",
                "-0",
                "-f",
                jar.toString(),
                "-C",
                classes.toString(),
                ".");
    if (failed != 0) {
      throw new AssertionError("no jar could be made of " + classes);
    }
  }

  /** Returns at once, without a recording, while another JVM records. */
  private void record() throws IOException {
    Files.createDirectories(FOLDER);
    try (FileChannel channel =
            FileChannel.open(
                FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null || Files.exists(recording())) {
        return;
      }
      deleteOthers();
      Files.createDirectories(folder);
      for (Path entry : entries()) {
        if (Files.isDirectory(entry)) {
          makeJar(folder.resolve(jarName(entry)), entry);
        }
      }
      Path unfinished = folder.resolve("unfinished.aot");
      recordStart(unfinished);
      if (Files.exists(unfinished)) {
        Files.move(unfinished, recording());
      }
    }
  }

  private static void deleteOthers() throws IOException {
    try (Stream<Path> folders = Files.list(FOLDER)) {
      folders.filter(Files::isDirectory).forEach(SharedResources::delete);
    }
  }

  private void recordStart(Path file) throws IOException {
    List<String> command = new ArrayList<>(java());
    command.addAll(
        List.of(
            "-XX:AOTCacheOutput=" + file,
            "-Dspring.context.exit=onRefresh",
            "-classpath",
            classpath(),
            MusterApplication.class.getName()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("DATABASE_URL", TestDatabases.create().url());
    builder.environment().put("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
    builder.environment().put("SERVER_PORT", "0");
    Process recorded = EndWithJvm.process(builder.start());
    recorded
        .onExit()
        .completeOnTimeout(recorded, MAX_DURATION.toSeconds(), TimeUnit.SECONDS)
        .join();
    recorded.destroyForcibly();
  }
}
