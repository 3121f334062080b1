package dev.muster.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault that fails a test in the browser, planted. */
@InBrowser
class BrowserFaultsTest {

  @Test
  void aQuietPageHasNone(Tab tab) {
    UnitPage.open(tab);
    tab.page().evaluate("() => console.log('nothing wrong')");
    assertThat(tab.faults()).isEmpty();
  }

  @Test
  void axeSeesAPictureWithoutWords(Tab tab) {
    UnitPage.open(tab);
    Accessibility.check(tab);
    tab.page()
        .evaluate(
            "() => document.body.append(Object.assign(new Image(), {src: 'data:image/gif,'}))");
    assertThatThrownBy(() -> Accessibility.check(tab)).hasMessageContaining("image-alt (critical)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"(prefers-color-scheme: dark)", "(prefers-contrast: more)"})
  void axeSeesWeakTextOfEachLook(String look, Tab tab) {
    UnitPage.open(tab);
    tab.page()
        .evaluate(
            """
            look => {
              const sheet = new CSSStyleSheet();
              sheet.insertRule(`@media ${look} { p { color: #777; background: #888; } }`);
              document.adoptedStyleSheets = [sheet];
              document.body.append(Object.assign(document.createElement('p'), {textContent: 'weak'}));
            }
            """,
            look);
    assertThatThrownBy(() -> Accessibility.checkInAllLooks(tab))
        .hasMessageContaining("color-contrast (serious)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          console: planted        | () => console.error('planted')
          uncaught: .*planted     | () => setTimeout(() => { throw new Error('planted') })
          uncaught: .*planted     | () => { Promise.reject(new Error('planted')) }
          CSP: style-src-attr     | () => document.body.setAttribute('style', 'color: red')
          CSP: script-src         | () => { import('data:text/javascript,1').catch(() => 0) }
          CSP: require-trusted    | () => setTimeout(() => { document.body.innerHTML = '<b>planted</b>' })
          CSP: connect-src        | () => { fetch('http://127.0.0.1:10/') }
          another origin: .*:10/  | () => setTimeout(() => { location.href = 'http://127.0.0.1:10/' })
          """)
  void eachIsSeen(String fault, String planted, Tab tab) {
    UnitPage.open(tab);
    tab.page().evaluate(planted);
    tab.page()
        .waitForCondition(
            () -> tab.faults().stream().anyMatch(f -> f.matches("(?s).*" + fault + ".*")));
    assertThatThrownBy(tab::assertNoFaults).hasMessageContaining("no page may do");
    tab.forgetFaults();
    tab.expects(".");
  }
}
