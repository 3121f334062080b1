package dev.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Costs the start of a PostgreSQL and of a JVM, about 5 s. */
@Slow
class EndWithJvmTest {

  @Test
  void leavesNoProcessAndNoDatabaseOfAKilledJvm() throws IOException {
    Process jvm = new ProcessBuilder(command()).redirectErrorStream(true).start();
    long child;
    long postgres;
    Path home;
    try (var lines = jvm.inputReader(StandardCharsets.UTF_8)) {
      String line = lines.readLine();
      while (line != null && !line.startsWith("started ")) {
        line = lines.readLine();
      }
      assertThat(line).as("the JVM's report").isNotNull();
      String[] words = line.split(" ", -1);
      child = Long.parseLong(words[1]);
      postgres = Long.parseLong(words[2]);
      home = Path.of(words[3]);
      assertThat(isAlive(child)).isTrue();
      assertThat(isAlive(postgres)).isTrue();
      jvm.destroyForcibly().onExit().join();
    } finally {
      jvm.destroyForcibly();
    }
    Awaitility.await()
        .untilAsserted(() -> {
          assertThat(isAlive(child)).as("the process").isFalse();
          assertThat(isAlive(postgres)).as("PostgreSQL").isFalse();
          assertThat(home).doesNotExist();
        });
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  private static List<String> command() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-classpath",
        System.getProperty("java.class.path"),
        Leaving.class.getName());
  }

  /** Starts a process and the PostgreSQL of the tests, says so, and waits to be killed. */
  static final class Leaving {

    private Leaving() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      Process child = EndWithJvm.process(new ProcessBuilder("sleep", "600").start());
      Path folder = Path.of(TestDatabases.create().value("SHOW data_directory"));
      String postgres = Files.readAllLines(folder.resolve("postmaster.pid")).getFirst();
      System.out.println(
          "started " + child.pid() + " " + postgres + " " + folder.resolve("../..").normalize());
      new CountDownLatch(1).await();
    }
  }
}
