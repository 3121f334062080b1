package dev.muster.console;

import com.microsoft.playwright.Page;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;

/** Opens pages of the shared server for those who are signed in. */
final class SignedIn {

  static final TestClient CLIENT = TestServer.shared().client();

  private static final String FOLLOW =
      """
      path => ['/ui/between', path].forEach(to => {
        const link = document.body.appendChild(document.createElement('a'));
        link.href = to;
        link.click();
        link.remove();
      })
      """;

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
    return tab.signIn(CLIENT.baseUrl(), token, path).page();
  }

  /**
   * Opens another page of the console by a link, which loads nothing anew. A page that does not
   * exist comes before it, so that no text of the last one is left.
   */
  static void follow(Page page, String path) {
    page.mouse().move(0, 0); // rows under the pointer keep their places
    page.evaluate(FOLLOW, path);
  }
}
