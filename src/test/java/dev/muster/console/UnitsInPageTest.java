package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The tests of the console's modules, in a page: each function that a {@code *.test.js} exports is
 * one, and fails by an error. {@code -Dtest.units=filter} runs those of one file.
 */
@InBrowser
class UnitsInPageTest {

  private static final Path FOLDER = Path.of("src/test/console");

  private static final String NAMES =
      """
      async file => {
        const unit = await import('/test/' + file);
        return Object.keys(unit).filter(name => typeof unit[name] === 'function');
      }
      """;

  /** These start the console, which needs a server: each page that is opened runs them. */
  private static final Set<String> ENTRIES = Set.of("/src/app.js", "/src/boot.js");

  private static final String IMPORT =
      """
      async paths => (await Promise.allSettled(paths.map(path => import(path))))
        .map((one, i) => one.reason && `${paths[i]}: ${one.reason}`).filter(Boolean)
      """;

  private static final String RUN =
      """
      async ([file, name]) => {
        document.body.replaceChildren();
        history.replaceState(null, '', '/');
        const unit = await import('/test/' + file);
        try {
          await unit[name]();
          return '';
        } catch (e) {
          return e?.stack ?? String(e);
        }
      }
      """;

  /** {@link ConsoleSourcesTest} checks that none needs another to be imported before it. */
  @Test
  void eachModuleCanBeImported(Tab tab) throws IOException {
    UnitPage.open(tab);
    try (Stream<Path> files = Files.walk(ConsoleSourcesTest.SOURCES)) {
      List<String> paths =
          files
              .map(file -> "/src/" + ConsoleSourcesTest.SOURCES.relativize(file))
              .filter(path -> path.endsWith(".js") && !ENTRIES.contains(path))
              .toList();
      assertThat(paths).hasSizeGreaterThan(80);
      assertThat((List<?>) tab.page().evaluate(IMPORT, paths)).isEmpty();
    }
  }

  @TestFactory
  Stream<DynamicContainer> units(Tab tab) throws IOException {
    List<String> files;
    try (Stream<Path> paths = Files.list(FOLDER)) {
      files =
          paths
              .map(path -> path.getFileName().toString())
              .filter(name -> name.endsWith(".test.js"))
              .filter(name -> name.startsWith(System.getProperty("test.units", "")))
              .sorted()
              .toList();
    }
    assertThat(files).isNotEmpty();
    return files.stream().map(file -> DynamicContainer.dynamicContainer(file, tests(tab, file)));
  }

  /** Each file has a page that no other has loaded modules into. */
  private static Stream<DynamicTest> tests(Tab tab, String file) {
    UnitPage.open(tab);
    List<?> names = (List<?>) tab.page().evaluate(NAMES, file);
    return names.stream()
        .map(String::valueOf)
        .map(name ->
            DynamicTest.dynamicTest(
                name,
                () -> {
                  tab.forgetFaults();
                  Object error = tab.page().evaluate(RUN, List.of(file, name));
                  assertThat(error).as(file + " " + name).isEqualTo("");
                  tab.assertNoFaults();
                }));
  }
}
