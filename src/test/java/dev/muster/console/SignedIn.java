package dev.muster.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;

/** Opens pages of the shared server for those who are signed in. */
final class SignedIn {

  static final TestClient CLIENT = TestServer.shared().client();

  private static final String SIGN_IN =
      """
      async token => {
        const response = await fetch('/console/session', {
          method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }) });
        localStorage.setItem('muster-page', (await response.json()).page_key);
      }
      """;

  static {
    PlaywrightAssertions.setDefaultAssertionTimeout(15_000);
  }

  private SignedIn() {}

  static Page asAdmin(Tab tab, String path) {
    return as(tab, TestServer.ADMIN_TOKEN, path);
  }

  static Page asViewer(Tab tab, String path) {
    String token =
        CLIENT
            .post(
                "/admin/tokens",
                TestServer.ADMIN_TOKEN,
                "{\"name\":\"reader\",\"role\":\"viewer\"}")
            .field("auth_token");
    return as(tab, token, path);
  }

  /** Signs in with a token, and opens a page. */
  static Page as(Tab tab, String token, String path) {
    tab.go(CLIENT.baseUrl(), "/ui/signin");
    tab.page().evaluate(SIGN_IN, token);
    tab.go(CLIENT.baseUrl(), path);
    return tab.page();
  }
}
