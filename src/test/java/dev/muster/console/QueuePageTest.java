package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The queue: what waits, why, and what operators do about it. */
@InBrowser(sharesCache = true)
class QueuePageTest {

  /** Creates a push agent that cannot be reached as long as nothing listens at its url. */
  static Agent targetOf(TestClient client, String name, String url, int messages) {
    Agent target = client.create(name, "\"delivery_mode\":\"push\",\"url\":\"" + url + "\"");
    for (int i = 1; i <= messages; i++) {
      client.post(
          "/workspaces/" + target.id() + "/a2a",
          ADMIN_TOKEN,
          """
          {"method":"message/send","params":{"message":{"messageId":"%d","parts":[{"kind":"text","text":"message %d"}]}}}\
          """
              .formatted(i, i));
    }
    return target;
  }

  private static Locator button(Locator row, String name) {
    return row.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name));
  }

  @Test
  void operatorsLookAfterWhatWaits(Tab tab) throws IOException {
    tab.expects("status of 410");
    Page page = SignedIn.asAdmin(tab, "/ui/queue");
    queuedMessageIsRetriedExpiredCancelled(page);
    onlyWhatTheServerAcceptsCanBeQueuedAgain(page);
    showsTheMessageAndThoseThatWaitLongest(tab);
    aRefusedActionShowsTheServersSentence(page);
  }

  private static void queuedMessageIsRetriedExpiredCancelled(Page page) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      Agent target = targetOf(CLIENT, "Called", peer.url(), 3);
      SignedIn.follow(page, "/ui/queue?target=" + target.id());
      Locator rows = page.locator("tbody tr:not(.detail)");
      assertThat(rows).hasCount(3);

      button(rows.nth(2), "Cancel").click();
      page.getByRole(AriaRole.DIALOG).getByText("as curl").click();
      assertThat(page.getByRole(AriaRole.DIALOG)).containsText("/cancel -H \"$ADMIN\"");
      button(page.getByRole(AriaRole.DIALOG), "Cancel").click();
      assertThat(rows).hasCount(2);

      button(rows.nth(1), "Expire").click();
      button(page.getByRole(AriaRole.DIALOG), "Expire").click();
      assertThat(rows).hasCount(1);

      page.waitForResponse("**/retry", () -> button(rows.first(), "Retry now").click());
      assertThat(rows).hasCount(1); // its agent has sent no heartbeat yet: it waits on
      assertThat(page.locator("#toasts"))
          .containsText("It is tried when Called connects (awaiting agent ");
      assertThat(rows.first().locator("[data-label='Next try']")).hasText("when it connects");
      CLIENT.heartbeat(target);
      assertThat(page.getByText("No message matches.")).isVisible();
      assertThat(peer.deliveries()).hasSize(1);

      page.getByLabel("State").selectOption("expired");
      assertThat(rows).hasCount(1);
      assertThat(rows.first()).containsText("expired by an operator");
      page.getByLabel("State").selectOption("dropped");
      assertThat(rows.first()).containsText("cancelled by an operator");
      page.goBack();
      assertThat(rows.first()).containsText("expired by an operator");

      button(rows.first(), "Queue again").click();
      assertThat(page.getByText("No message matches.")).isVisible();
      CLIENT.heartbeat(target);
      page.getByLabel("State").selectOption("delivered");
      assertThat(rows).hasCount(2);
      assertThat(peer.deliveries()).hasSize(2);
    }
  }

  private static void onlyWhatTheServerAcceptsCanBeQueuedAgain(Page page) {
    Agent target = targetOf(CLIENT, "Never there", "http://127.0.0.1:9/", 1);
    Agent caller = CLIENT.create("Its child", "\"parent_id\":\"" + target.id() + "\"");
    CLIENT.post(
        "/workspaces/" + caller.id() + "/delegate",
        caller.token(),
        "{\"target_id\":\"" + target.id() + "\",\"task\":\"Do it.\"}");
    SignedIn.follow(page, "/ui/queue?target=" + target.id());
    Locator rows = page.locator("tbody tr:not(.detail)");
    assertThat(rows).hasCount(2);
    for (int left = 1; left >= 0; left--) {
      button(rows.first(), "Expire").click();
      button(page.getByRole(AriaRole.DIALOG), "Expire").click();
      assertThat(rows).hasCount(left);
    }

    page.getByLabel("State").selectOption("expired");
    assertThat(rows).hasCount(2);
    Locator task = rows.filter(new Locator.FilterOptions().setHas(page.getByText("Its child")));
    assertThat(task).hasCount(1);
    assertThat(button(task, "Queue again")).hasCount(0);
    assertThat(button(page.locator("tbody"), "Queue again")).hasCount(1);
    task.locator(".disclose").click();
    assertThat(page.locator("tr.detail")).containsText("delegation");
  }

  private static void aRefusedActionShowsTheServersSentence(Page page) {
    Agent target = targetOf(CLIENT, "Refusing", "http://127.0.0.1:9/", 1);
    SignedIn.follow(page, "/ui/queue?target=" + target.id());
    Locator row = page.locator("tbody tr").first();
    assertThat(row).containsText("Refusing");
    page.route("**/admin/a2a-queue?**", _ -> {}); // the list is not read again, so the row stays
    CLIENT.delete("/workspaces/" + target.id(), ADMIN_TOKEN);
    button(row, "Retry now").click();
    assertThat(row.getByRole(AriaRole.ALERT).first()).containsText("was removed");
  }

  private static void showsTheMessageAndThoseThatWaitLongest(Tab tab) {
    Page page = tab.page();
    Agent target = targetOf(CLIENT, "Waited for", "http://127.0.0.1:9/", 2);
    SignedIn.follow(page, "/ui/queue?target=" + target.id());
    page.locator("tbody .disclose").first().click();
    assertThat(page.locator("tr.detail")).containsText("message 1");
    assertThat(page.locator(".totals")).containsText(Pattern.compile("\\d+ waiting"));
    Accessibility.check(tab);
  }
}
