package dev.muster.bench;

import dev.muster.testing.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The measured server in a process of its own, with a heap of 1 GiB. */
final class BenchProcess implements AutoCloseable {

  /** A system property: the jar of another build, to be measured instead of this one. */
  private static final String OTHER_BUILD = "bench.server";

  private static final Pattern USED = Pattern.compile("used (\\d+)K");

  private final Process process;
  private final int port;

  private BenchProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static BenchProcess start(String databaseUrl) throws IOException {
    return start(databaseUrl, Map.of());
  }

  /** {@code settings} are environment variables. */
  static BenchProcess start(String databaseUrl, Map<String, String> settings) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(program());
    return start(command, databaseUrl, settings);
  }

  /** {@code command} is another build's. */
  static BenchProcess start(List<String> command, String databaseUrl, Map<String, String> settings)
      throws IOException {
    int port = FreePorts.next();
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("JDK_JAVA_OPTIONS", "-Xmx1g");
    builder.environment().put("DATABASE_URL", databaseUrl);
    builder.environment().put("SERVER_PORT", Integer.toString(port));
    builder.environment().put("SERVER_ADDRESS", "127.0.0.1");
    builder.environment().put("ADMIN_TOKEN", AdminClient.TOKEN);
    // limits that are never reached, but whose cost is measured
    for (String limit : new String[] {"RATE_LIMIT", "RATE_LIMIT_HEARTBEAT", "RATE_LIMIT_POLL"}) {
      builder.environment().put(limit, "1000000");
    }
    builder.environment().putAll(settings);
    BenchProcess server = new BenchProcess(builder.start(), port);
    server.awaitReady();
    return server;
  }

  /** The program of the Java that runs the bench. */
  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> program() {
    String jar = System.getProperty(OTHER_BUILD, "");
    return jar.isEmpty()
        ? List.of("-classpath", System.getProperty("java.class.path"), BenchServer.class.getName())
        : List.of("-jar", jar);
  }

  String baseUrl() {
    return "http://127.0.0.1:" + port;
  }

  int port() {
    return port;
  }

  /** The used heap after a garbage collection. */
  double usedHeapKiB() throws IOException {
    jcmd("GC.run");
    Matcher used = USED.matcher(jcmd("GC.heap_info"));
    if (!used.find()) {
      throw new IllegalStateException("the JVM does not report its used heap");
    }
    return Double.parseDouble(used.group(1));
  }

  private String jcmd(String command) throws IOException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(process.pid()),
                command)
            .redirectErrorStream(true)
            .start();
    return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  Duration processorTime() {
    return processorTime(process.toHandle());
  }

  static Duration processorTime(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  long residentMiB() throws IOException {
    return Files.readAllLines(Path.of("/proc", String.valueOf(process.pid()), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .map(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElseThrow();
  }

  private void awaitReady() {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest ready = HttpRequest.newBuilder(URI.create(baseUrl() + "/ready")).build();
      long giveUpAt = System.nanoTime() + Duration.ofSeconds(90).toNanos();
      while (!isReady(http, ready)) {
        if (!process.isAlive() || System.nanoTime() > giveUpAt) {
          throw new IllegalStateException("the server did not start");
        }
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
    }
  }

  private static boolean isReady(HttpClient http, HttpRequest ready) {
    try {
      return http.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
