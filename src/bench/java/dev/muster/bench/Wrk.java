package dev.muster.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Drives the server with {@code wrk} in a process of its own. */
final class Wrk {

  /**
   * The result of one round; latencies in milliseconds; late is the number of answers after two
   * seconds.
   */
  record Round(
      double requestsPerSecond, double p50, double p99, long requests, long refused, long late) {}

  private static final Pattern RESULT =
      Pattern.compile(
          "RESULT requests=(\\d+) seconds=([\\d.]+) p50=([\\d.]+) p99=([\\d.]+) refused=(\\d+)"
              + " late=(\\d+)");

  private final String baseUrl;
  private final Path fleet;

  Wrk(String baseUrl, Path fleet) {
    this.baseUrl = baseUrl;
    this.fleet = fleet;
  }

  /** Sends heartbeats of the workspaces, or the same body to another path. */
  Round run(String path, int connections, int seconds) throws IOException {
    return run("heartbeat.lua", path, connections, seconds);
  }

  Round run(String script, String path, int connections, int seconds) throws IOException {
    Process wrk =
        new ProcessBuilder(
                List.of(
                    "wrk",
                    "-t2",
                    "-c" + connections,
                    "-d" + seconds + "s",
                    "-s",
                    "src/bench/wrk/" + script,
                    baseUrl,
                    "--",
                    fleet.toString(),
                    path))
            .redirectErrorStream(true)
            .start();
    String output = new String(wrk.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Matcher result = RESULT.matcher(output);
    if (!result.find()) {
      throw new IllegalStateException("wrk did not finish: " + output);
    }
    long requests = Long.parseLong(result.group(1));
    return new Round(
        requests / Double.parseDouble(result.group(2)),
        Double.parseDouble(result.group(3)),
        Double.parseDouble(result.group(4)),
        requests,
        Long.parseLong(result.group(5)),
        Long.parseLong(result.group(6)));
  }
}
