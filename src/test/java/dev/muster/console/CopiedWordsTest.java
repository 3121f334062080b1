package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** What a person copies into a terminal is what the page meant, whatever an agent wrote. */
@InBrowser
class CopiedWordsTest {

  private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]");

  private static final String QUOTED =
      """
      async () => {
        const words = await (await fetch('/cases/hostile.json')).json();
        const { quote } = await import('/src/text/shell.js');
        return words.map(quote);
      }
      """;

  private static final String MEANT =
      """
      async () => {
        const words = await (await fetch('/cases/hostile.json')).json();
        return words.map(word => word.replaceAll('\\0', '\\uFFFD').toWellFormed());
      }
      """;

  /** A command, and the body that it is to send. */
  private static final String LONG =
      """
      async () => {
        const words = await (await fetch('/cases/hostile.json')).json();
        const { curlOf } = await import('/src/text/curl.js');
        const ids = Array.from({ length: 5000 }, () => crypto.randomUUID());
        const body = { action: 'message', ids, text: 'END', note: words.filter(word => word.length < 600).join('\\nEND\\n').slice(0, 600) };
        return [curlOf({ path: '/admin/bulk', body }), JSON.stringify(body)];
      }
      """;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @ParameterizedTest
  @ValueSource(strings = {"sh", "bash"})
  void theShellReadsTheSameWords(String shell, Tab tab) throws IOException, InterruptedException {
    UnitPage.open(tab);
    List<String> quoted = strings(tab.page().evaluate(QUOTED));
    List<String> meant = strings(tab.page().evaluate(MEANT));
    assertThat(meant).isNotEmpty();

    String script =
        quoted.stream().map(word -> "printf '%s\\0' " + word + "\n").collect(Collectors.joining());
    assertThat(read(shell, script)).isEqualTo(meant);
  }

  /** More workspaces than a command line takes, among hostile texts. */
  @ParameterizedTest
  @ValueSource(strings = {"sh", "bash"})
  void theShellReadsALongBodyWhole(String shell, Tab tab) throws IOException, InterruptedException {
    UnitPage.open(tab);
    List<String> command = strings(tab.page().evaluate(LONG));

    assertThat(command.getFirst()).hasSizeGreaterThan(200_000);
    assertThat(command.getFirst().lines()).allMatch(line -> line.length() < 4096);
    assertThat(command.getFirst()).doesNotContainPattern(CONTROL);
    String script = "curl() { tr -d '\\n'; printf '\\0'; }\n" + command.getFirst() + "\n";
    assertThat(read(shell, script))
        .singleElement()
        .satisfies(
            body -> assertThat(JSON.readTree(body)).isEqualTo(JSON.readTree(command.getLast())));
  }

  /** A terminal acts on control characters that are pasted, even inside quotes. */
  @Test
  void noControlCharacterReachesTheTerminal(Tab tab) {
    UnitPage.open(tab);
    assertThat(strings(tab.page().evaluate(QUOTED))).noneMatch(CONTROL.asPredicate());
  }

  private static List<String> strings(Object list) {
    return ((List<?>) list).stream().map(String::valueOf).toList();
  }

  /** Runs a script, and reads the words that it prints, each ended by a NUL. */
  private static List<String> read(String shell, String script)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(shell).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Thread writer =
        Thread.ofVirtual()
            .start(() -> {
              try (var in = process.getOutputStream()) {
                in.write(script.getBytes(StandardCharsets.UTF_8));
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    writer.join();
    assertThat(process.waitFor()).isZero();
    return List.of(printed.substring(0, printed.length() - 1).split("\0", -1));
  }
}
