package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is whole in each row of the fleet, whatever the width of the window. */
@InBrowser
class FleetWidthsTest {

  private static final List<Integer> WIDTHS =
      List.of(1920, 1440, 1280, 1100, 1024, 901, 900, 820, 768, 700, 641, 640, 390, 320);

  /** The longest words of a state are those of the worst rows. */
  private static final String OPEN =
      """
      async view => {
        const { mount } = await import('/test/fleet-mount.js');
        const { fleet } = await import('/test/fixtures.js');
        const worst = [
          { status: 'degraded', reason: 'runtime_wedged', stalled: '2026-11-25T02:00:00Z' },
          { status: 'awaiting_agent' }, { status: 'provisioning' }, { status: 'failed' }, { stalled: '2026-11-24T05:00:00Z' },
        ];
        mount(fleet(5, i => ({ since: '2026-11-12T05:42:49Z', ...worst[i] })), { query: view });
      }
      """;

  private static final String CUT =
      """
      async () => {
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        const all = [...document.querySelectorAll('.fleet-space .fleet-row:not([hidden]) .row-since')];
        const cut = all.filter(since => {
          const cell = since.closest('.cell').getBoundingClientRect();
          const { left, right, width } = since.getBoundingClientRect();
          return width === 0 || since.scrollWidth > since.clientWidth + 1 || left < cell.left || right > cell.right + 1;
        });
        return [`${all.length} ages`, ...cut.map(since => since.closest('.cell').textContent)];
      }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"", "view=tree"})
  void theAgeIsWhole(String view, Tab tab) {
    UnitPage.open(tab);
    Page page = tab.page();
    page.evaluate(OPEN, view);
    for (int width : WIDTHS) {
      page.setViewportSize(width, 800);
      assertThat((List<?>) page.evaluate(CUT))
          .as("%s at %d px", view, width)
          .isEqualTo(List.of("5 ages"));
    }
  }
}
