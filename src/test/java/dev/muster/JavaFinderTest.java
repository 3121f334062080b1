package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/java25} finds the JDK that the build finds, whatever {@code java} is on the path. */
class JavaFinderTest {

  @TempDir Path folder;

  @BeforeEach
  void givesTheMachineAnOldJava() throws IOException {
    java("path", "17");
  }

  @Test
  void takesTheOneThatAFileOfToolchainsNames() throws Exception {
    Path old = java("old one", "17");
    Path wanted = java("wanted one", "25");
    toolchains(old.toString(), "${env.NO_SUCH}", " " + wanted + " ");

    assertThat(run()).isEqualTo("Java 25 in wanted one runs -jar a b.jar\n");
  }

  @Test
  void takesTheOneThatIsSetBeforeTheFile() throws Exception {
    toolchains(java("named", "25").toString());

    assertThat(run("JAVA25_HOME", java("set", "26").toString()))
        .isEqualTo("Java 26 in set runs -jar a b.jar\n");
  }

  @Test
  void takesTheOneOfTheMachineWhenItWillDo() throws Exception {
    toolchains(java("named", "25").toString());
    java("path", "25");

    assertThat(run()).isEqualTo("Java 25 in path runs -jar a b.jar\n");
  }

  /** A fake {@code java} that prints its name and its arguments. */
  private Path java(String name, String version) throws IOException {
    Path home = folder.resolve(name);
    Path program = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(
        program,
        """
        #!/bin/sh
        if [ "$1" = -XshowSettings:properties ]; then
          echo '    java.specification.version = %2$s' >&2
        else
          echo 'Java %2$s in %1$s runs' "$@"
        fi
        """
            .formatted(name, version));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return home;
  }

  private void toolchains(String... homes) throws IOException {
    StringBuilder file = new StringBuilder("<toolchains>\n");
    for (String home : homes) {
      file.append("    <configuration><jdkHome>").append(home).append("</jdkHome>\n");
    }
    Files.writeString(
        Files.createDirectories(folder.resolve(".m2")).resolve("toolchains.xml"), file);
  }

  private String run(String... variable) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("bin/java25", "-jar", "a b.jar");
    Map<String, String> environment = builder.environment();
    environment.keySet().removeAll(Set.of("JAVA_HOME", "JAVA25_HOME"));
    environment.put("HOME", folder.toString());
    environment.put("PATH", folder.resolve("path/bin") + ":/usr/bin:/bin");
    if (variable.length > 0) {
      environment.put(variable[0], variable[1]);
    }
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }
}
