package dev.muster.agent;

import dev.muster.testing.EndWithJvm;
import dev.muster.testing.TestClient.Agent;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The agent program in a process of its own: in {@code mvn verify} the built jar, otherwise the
 * classes of the tests with the libraries of that jar only.
 */
final class AgentProcess implements AutoCloseable {

  private static final List<String> LIBRARIES =
      List.of("okhttp", "okio", "kotlin-stdlib", "jackson-", "slf4j-api", "picocli", "jspecify");

  private final Process process;
  private final Path out;
  private final Path err;

  private AgentProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** The command that starts the program, for a command that calls it. */
  static List<String> program() {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
    String jar = System.getProperty("agent.program", "");
    line.addAll(
        jar.isEmpty()
            ? List.of("-classpath", classpath(), "dev.muster.agent.cli.AgentMain")
            : List.of("-jar", Path.of(jar).toAbsolutePath().toString()));
    return line;
  }

  static AgentProcess start(Map<String, String> environment, String... args) throws IOException {
    List<String> line = new ArrayList<>(program());
    line.addAll(List.of(args));
    Path out = Files.createTempFile("agent-", ".out");
    Path err = Files.createTempFile("agent-", ".err");
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().putAll(environment);
    return new AgentProcess(EndWithJvm.process(builder.start()), out, err);
  }

  static Map<String, String> as(Agent agent, Path state) {
    return Map.of(
        "MUSTER_URL", AgentServer.CLIENT.baseUrl(),
        "MUSTER_WORKSPACE_ID", agent.id().toString(),
        "MUSTER_TOKEN", agent.token(),
        "MUSTER_STATE_DIR", state.toString());
  }

  private static String classpath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(AgentProcess::isWanted)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isWanted(String entry) {
    String name = new File(entry).getName();
    return new File(entry).isDirectory() || LIBRARIES.stream().anyMatch(name::startsWith);
  }

  /** SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  int awaitEnd() {
    return process.onExit().orTimeout(40, TimeUnit.SECONDS).join().exitValue();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String out() {
    return read(out);
  }

  String err() {
    return read(err);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    kill();
    Files.deleteIfExists(out);
    Files.deleteIfExists(err);
  }
}
