package dev.muster.platform.embedded;

import dev.muster.platform.embedded.PostgresPrograms.Outcome;
import dev.muster.platform.settings.StartRefusedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and stops the server process of a data folder. Only the holder of the home uses it. */
final class Postmaster {

  /** Includes recovery after a kill, which takes minutes after much writing. */
  private static final Duration START_LIMIT = Duration.ofMinutes(10);

  /** After five seconds the server kills those of its processes that do not respond. */
  private static final Duration CUT_OFF_LIMIT = Duration.ofSeconds(20);

  private static final Duration RETRY_PAUSE = Duration.ofMillis(250);

  private static final Logger log = LoggerFactory.getLogger(Postmaster.class);

  private final Path data;
  private final PostgresPrograms programs;
  private final PidFile pidFile;
  private final ServerLog serverLog;
  private final Timeouts timeout;

  /**
   * Sets how long each step may take before the next one.
   *
   * @param stop the time for an orderly stop, before an immediate one
   * @param retry how long a failed start is retried: processes of a killed server need a moment to
   *     end, another program may have taken the port, and a start by a killed Muster may end late
   */
  record Timeouts(Duration stop, Duration retry) {

    static final Timeouts USUAL = new Timeouts(Duration.ofSeconds(20), Duration.ofSeconds(10));
  }

  /**
   * @param folder the folder that holds {@code data} and {@code bin}
   */
  Postmaster(Path folder, PostgresPrograms programs, Timeouts timeout) {
    this.data = folder.resolve("data");
    this.programs = programs;
    this.pidFile = new PidFile(data, folder.resolve("bin"));
    this.serverLog = new ServerLog(folder);
    this.timeout = timeout;
  }

  /**
   * Stops a left-over server, starts a new one and waits until it accepts connections.
   *
   * @param settings {@code name=value}, which override every configuration file
   * @return the port it listens on
   */
  int start(List<String> settings) {
    try {
      stop();
      serverLog.begin();
      long begin = System.nanoTime();
      Optional<Integer> port = tryToStart(settings);
      while (port.isEmpty() && System.nanoTime() - begin < timeout.retry().toNanos()) {
        pause();
        stop();
        port = tryToStart(settings);
      }
      if (port.isEmpty()) {
        stop(); // a server that only started too slowly
      }
      return port.orElseThrow(this::doesNotStart);
    } catch (IOException e) {
      throw new StartRefusedException(
          "The embedded PostgreSQL cannot use %s (%s).".formatted(data, IoFailureText.of(e)), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefusedException("Interrupted while starting the embedded PostgreSQL.", e);
    }
  }

  private static void pause() throws InterruptedException {
    LockSupport.parkNanos(RETRY_PAUSE.toNanos());
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  private Optional<Integer> tryToStart(List<String> settings) throws IOException {
    pidFile.clearForeignPid();
    int port = freePort();
    String options =
        settings.stream()
            .map(setting -> "-c " + setting)
            .collect(Collectors.joining(" ", "-p " + port + " ", ""));
    Outcome outcome =
        programs.run(
            START_LIMIT.plusMinutes(1),
            "pg_ctl",
            "start",
            "--pgdata=" + data,
            "--log=" + serverLog.file(),
            "--options=" + options,
            "--wait",
            "--timeout=" + START_LIMIT.toSeconds());
    return outcome.succeeded() ? Optional.of(port) : Optional.empty();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  private StartRefusedException doesNotStart() {
    // Without its own log file the server was not even reached.
    Path file = Files.exists(serverLog.file()) ? serverLog.file() : programs.logOf("pg_ctl");
    return new StartRefusedException(
        "The embedded PostgreSQL does not start: %s; see %s."
            .formatted(ServerLog.causeIn(file), file));
  }

  /** Stops this home's server if it runs: first in order, then immediately. */
  void stop() throws IOException {
    if (pidFile.server().isEmpty()) {
      return;
    }
    stop("fast", timeout.stop());
    if (pidFile.server().isPresent()) {
      log.warn(
          "PostgreSQL does not stop in order; it is stopped at once and recovers at its start");
      stop("immediate", CUT_OFF_LIMIT);
    }
    Optional<ProcessHandle> survivor = pidFile.server();
    if (survivor.isPresent()) {
      throw new IOException("its process " + survivor.get().pid() + " does not stop; end it first");
    }
  }

  private void stop(String mode, Duration limit) {
    // The exit code is ignored: pg_ctl also fails when the server ends by itself meanwhile.
    programs.run(
        limit.plusSeconds(30),
        "pg_ctl",
        "stop",
        "--pgdata=" + data,
        "--mode=" + mode,
        "--wait",
        "--timeout=" + limit.toSeconds());
  }
}
