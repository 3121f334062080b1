package dev.muster.platform.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.EndWithJvm;
import dev.muster.testing.Slow;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A JVM tells whether it uses its cache, in a process that has one. */
@Slow
@Timeout(120)
class AheadOfTimeCacheTest {

  /** Says what the product finds about the JVM that it runs on. */
  static final class Program {

    private Program() {}

    /** Prints the file that is named, and whether a class came from it. */
    public static void main(String[] arguments) throws Exception {
      System.out.println(
          "named " + AheadOfTimeCache.named() + " used " + AheadOfTimeCache.holds(Program.class));
    }
  }

  @TempDir private Path folder = Path.of("");

  @Test
  void tellsWhetherItIsUsed() throws IOException {
    jar(Program.class, AheadOfTimeCache.class);
    assertThat(run()).isEqualTo("named  used false");
    String _ = run("-XX:AOTCacheOutput=" + folder.resolve("cache"));

    String named = "-XX:AOTCache=" + folder.resolve("cache");
    assertThat(run(named)).isEqualTo("named " + folder.resolve("cache") + " used true");
    assertThat(run(named, "-XX:AOTMode=off")).endsWith(" used false");
    assertThat(run("-XX:AOTCache=" + folder.resolve("none"))).endsWith(" used false");
  }

  private void jar(Class<?>... types) throws IOException {
    try (OutputStream file = Files.newOutputStream(folder.resolve("program.jar"));
        JarOutputStream out = new JarOutputStream(file)) {
      for (Class<?> type : types) {
        String name = type.getName().replace('.', '/') + ".class";
        out.putNextEntry(new JarEntry(name));
        try (InputStream in =
            Objects.requireNonNull(type.getClassLoader().getResourceAsStream(name))) {
          in.transferTo(out);
        }
      }
    }
  }

  private String run(String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", folder.resolve("program.jar").toString(), Program.class.getName()));
    Process process =
        EndWithJvm.process(
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
    return new String(process.getInputStream().readAllBytes(), UTF_8)
        .lines()
        .filter(line -> line.startsWith("named"))
        .findFirst()
        .orElse("");
  }
}
