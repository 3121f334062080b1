package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;

/**
 * A walk over a page with the Tab key alone, which visits every control and gets out again. Of a
 * grid it visits the row that the arrow keys are at.
 */
final class KeyboardWalk {

  /** Marks what a pointer can use, and returns how much that is. */
  private static final String BEGIN =
      """
      () => {
        document.activeElement?.blur();
        const all = [...document.querySelectorAll('a[href], button:not([disabled]), input, select, textarea, summary')]
          .filter(one => one.checkVisibility({ visibilityProperty: true }))
          .filter(one => one.tabIndex >= 0 || !one.closest('[role=grid], [role=treegrid]'));
        all.forEach(one => { one.toVisit = true; });
        addEventListener('focusin', event => { event.target.toVisit = false; });
        return all.length;
      }
      """;

  private static final String LEFT =
      """
      () => [...document.querySelectorAll('*')].filter(one => one.toVisit && one.isConnected)
        .map(one => one.outerHTML.slice(0, 120)).join('\\n')
      """;

  private KeyboardWalk() {}

  static void check(Page page) {
    int controls = ((Number) page.evaluate(BEGIN)).intValue();
    // regions that scroll and commands can be focused as well
    for (int pressed = 0; pressed < 2 * controls + 20 && !page.evaluate(LEFT).equals(""); ) {
      for (int i = 0; i < 10; i++, pressed++) {
        page.keyboard().press("Tab");
      }
    }
    assertThat(page.evaluate(LEFT)).as("never reached on " + page.url()).isEqualTo("");
  }
}
