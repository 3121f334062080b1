package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The blocks of the README: its story (src/build/readme-story) runs most of them. The others
 * compile, or are commands that a shell understands, and say why they are not run.
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

  /** Else nobody notices when one of them stops to work. */
  @Test
  void isRunByTheStoryOrSaysWhyNot() throws Exception {
    Matcher block =
        Pattern.compile("^(.*)\n```(sh|js)\n(.*)$", Pattern.MULTILINE)
            .matcher(Files.readString(Path.of("README.md")));
    List<String> marks = new ArrayList<>();
    while (block.find()) {
      assertThat(block.group(1))
          .as("the line before the block that begins with: %s", block.group(3))
          .matches("<!-- (not run|run until|run at the end until): \\S.* -->")
          .doesNotMatch(block.group(2).equals("js") ? "<!-- run .*" : "never");
      marks.add(block.group(1).replaceFirst(":.*", ""));
    }

    assertThat(marks)
        .contains("<!-- run until", "<!-- run at the end until")
        .hasSizeGreaterThan(20);
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
