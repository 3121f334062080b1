package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The blocks of the README that its story (src/build/readme-story) does not run: they compile, or
 * are commands that a shell understands.
 */
class ReadmeTest {

  @TempDir Path folder;

  @ParameterizedTest
  @MethodSource("java")
  void compiles(String snippet) {
    String source =
        """
        import dev.muster.agent.*;
        import java.nio.file.Path;
        class Snippet {
          void run(String workspaceId) throws Exception {
            %s
          }
        }
        """
            .formatted(snippet);
    var file =
        new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignored) {
            return source;
          }
        };
    StringWriter said = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", folder.toString());
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(said, null, null, options, null, List.of(file))
            .call();
    assertThat(compiled).as("%s%n%s", source, said).isTrue();
  }

  @ParameterizedTest
  @MethodSource("shell")
  void isUnderstoodByAShell(String snippet) throws Exception {
    Path script = Files.writeString(folder.resolve("snippet"), snippet);
    Process bash =
        new ProcessBuilder("bash", "-n", script.toString()).redirectErrorStream(true).start();
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as("%s%n%s", snippet, said).isZero();
  }

  static Stream<String> java() throws Exception {
    return blocks("java");
  }

  static Stream<String> shell() throws Exception {
    return blocks("sh");
  }

  private static Stream<String> blocks(String language) throws Exception {
    return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
        .matcher(Files.readString(Path.of("README.md")))
        .results()
        .map((MatchResult block) -> block.group(1));
  }
}
