package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.muster.console.SignedIn.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import dev.muster.testing.TestClient.Agent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The runs of a workspace, with what they write while they write it. */
@InBrowser(sharesCache = true)
class RunsPageTest {

  private static final String AT_END =
      "output => output.scrollTop + output.clientHeight >= output.scrollHeight - 2";

  private static void report(Agent agent, String type, String payload) {
    assertThat(
            CLIENT
                .post(
                    "/workspaces/" + agent.id() + "/runtime-events",
                    agent.token(),
                    "{\"type\":\"%s\",\"payload\":%s}".formatted(type, payload))
                .status())
        .isEqualTo(202);
  }

  private static void write(Agent agent, String line, int times) {
    report(
        agent,
        "RuntimeStdout",
        "{\"task_name\":\"analyse\",\"chunk\":\"%s\"}".formatted((line + "\\n").repeat(times)));
  }

  @Test
  void operatorsFollowRuns(Tab tab) {
    Page page = SignedIn.asAdmin(tab, "/ui/runs");
    runOutputFollowsAndStopsFollowing(page);
    Accessibility.check(tab);
    emptyListSaysHowARunBegins(page);
    Accessibility.check(tab);
    listsTheRunsOfAllWorkspacesWithTheirOutput(page);
  }

  private static void runOutputFollowsAndStopsFollowing(Page page) {
    Agent agent = CLIENT.createOnline("Running");
    report(
        agent,
        "RuntimeStart",
        "{\"task_name\":\"analyse\",\"runtime_name\":\"local\",\"language\":\"python\"}");
    write(agent, "first", 40);
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=runs");
    Locator row = page.locator("tbody tr").first();
    assertThat(row).containsText("running");
    row.locator(".disclose").click();
    Locator output = page.locator("pre[aria-label=stdout]");
    assertThat(output).containsText("first");
    Awaitility.await().pollInSameThread().until(() -> (Boolean) output.evaluate(AT_END));

    write(agent, "second", 40);
    assertThat(output).containsText("second");
    Awaitility.await().pollInSameThread().until(() -> (Boolean) output.evaluate(AT_END));

    page.getByLabel("follow").uncheck();
    output.evaluate("output => { output.scrollTop = 0; }");
    write(agent, "third", 40);
    assertThat(output).containsText("third");
    assertThat(output.evaluate("output => output.scrollTop")).isEqualTo(0);

    report(agent, "RuntimeEnd", "{\"task_name\":\"analyse\",\"exit_code\":3,\"duration_ms\":1200}");
    assertThat(row).containsText("failed");
    assertThat(row).containsText("1 s");
  }

  private static void emptyListSaysHowARunBegins(Page page) {
    Agent agent = CLIENT.create("Idle");
    SignedIn.follow(page, "/ui/w/" + agent.id() + "?tab=runs");
    assertThat(page.getByText("No program has run yet.")).isVisible();
    page.locator(".empty summary").click();
    assertThat(page.locator(".empty code")).containsText("RuntimeStart");
  }

  private static void listsTheRunsOfAllWorkspacesWithTheirOutput(Page page) {
    Agent agent = CLIENT.createOnline("Far away");
    report(
        agent,
        "RuntimeStart",
        "{\"task_name\":\"analyse\",\"runtime_name\":\"local\",\"language\":\"java\"}");
    write(agent, "from far away", 2);
    SignedIn.follow(page, "/ui/runs?status=running");
    Locator row =
        page.locator("tbody tr:not(.detail)")
            .filter(new Locator.FilterOptions().setHasText("Far away"));
    row.locator(".disclose").click();
    assertThat(page.locator("pre[aria-label=stdout]")).containsText("from far away");
  }
}
