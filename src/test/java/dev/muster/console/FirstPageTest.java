package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the browser asks for until the first rows of the fleet are seen. */
@InBrowser
class FirstPageTest {

  private static final String NOTES_THE_FIRST_ROWS =
      """
      new MutationObserver((_, observer) => {
        if (document.querySelector('.fleet-space .fleet-row:not([hidden])')) {
          observer.disconnect();
          requestAnimationFrame(() => (window.rowsAt = performance.now()));
        }
      }).observe(document, { childList: true, subtree: true, attributes: true });
      """;

  private static final String FIGURES =
      """
      () => {
        const files = performance.getEntriesByType('resource').filter(one => one.startTime < rowsAt);
        const of = ending => files.filter(({ name }) => name.endsWith(ending));
        const modules = of('.js');
        return {
          rows_ms: Math.round(rowsAt),
          modules: modules.map(({ name }) => name),
          preloaded: [...document.querySelectorAll('link[rel=modulepreload]')].map(({ href }) => href),
          styles: of('.css').length,
          kilobytes: Math.round(modules.reduce((sum, one) => sum + one.encodedBodySize, 0) / 1024),
        };
      }
      """;

  @Test
  void preloadsEveryModuleOfTheFirstPageAndNoOther(Tab tab) {
    SignedIn.CLIENT.createOnline("First of all");
    tab.page().context().addInitScript(NOTES_THE_FIRST_ROWS);
    Page page = SignedIn.asAdmin(tab, "/");
    page.waitForFunction("() => window.rowsAt > 0");

    Map<?, ?> figures = (Map<?, ?>) page.evaluate(FIGURES);
    List<?> modules = (List<?>) Objects.requireNonNull(figures.get("modules"));
    System.out.printf(
        "First rows after %s ms: %d modules of %s kB, compressed%n",
        figures.get("rows_ms"), modules.size(), figures.get("kilobytes"));
    assertThat(Set.copyOf(modules))
        .isEqualTo(Set.copyOf((List<?>) Objects.requireNonNull(figures.get("preloaded"))));
    assertThat(figures.get("styles")).isEqualTo(1);
  }
}
