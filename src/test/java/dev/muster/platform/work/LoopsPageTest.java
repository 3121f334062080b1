package dev.muster.platform.work;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The documentation says of each loop and job what happens when one of its units fails. */
class LoopsPageTest {

  private static final Path PAGE = Path.of("docs/internals/running.md");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  @Test
  void namesEachLoopAndJobOnce() throws IOException {
    List<String> documented =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.equals("## A unit that fails"))
            .dropWhile(line -> !line.startsWith("|"))
            .takeWhile(line -> line.startsWith("|"))
            .skip(2)
            .map(line -> line.split("\\|", -1)[1])
            .flatMap(cell -> NAME.matcher(cell).results().map(name -> name.group(1)))
            .toList();
    Set<String> running = new TreeSet<>();
    try (TestServer server =
        TestServer.start("WEBHOOK_URL=http://127.0.0.1:9/hook", "AGENT_URL_ALLOW=loopback")) {
      server
          .client()
          .get("/admin/liveness", ADMIN_TOKEN)
          .json()
          .path("loops")
          .forEach(loop -> running.add(loop.path("name").asString()));
    }

    assertThat(running).contains("queue-worker", "liveness-sweep", "event-retention");
    assertThat(documented).containsExactlyInAnyOrderElementsOf(running);
  }
}
