package dev.muster.canvas;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.MouseButton;
import dev.muster.console.InBrowser;
import dev.muster.console.Tab;
import dev.muster.testing.SharedResources;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import tools.jackson.databind.JsonNode;

/**
 * A canvas of the protocol family, built elsewhere and unchanged, in the browser, with a server for
 * it. The canvas runs at the address in {@value #PROPERTY}; it was built for the server at {@link
 * #PLATFORM} and with the admin token of the tests. {@code src/test/canvas/run} starts both.
 */
final class ExistingCanvas {

  /** The address of a running canvas; without it no test of this package is run. */
  static final String PROPERTY = "test.canvas";

  /** The address that the canvas was built for. */
  static final String PLATFORM =
      System.getProperty("test.canvas.platform", "http://127.0.0.1:38080");

  private static final String ADDRESS = System.getProperty(PROPERTY, "");

  /** What this canvas asks for beyond the contract: an honest 404, which it tolerates. */
  private static final String UNKNOWN =
      "status of 404.* at "
          + Pattern.quote(PLATFORM)
          + "/(cp|org|requests|templates|approvals|settings|compute|plugins|channels"
          + "|workspaces/[0-9a-f-]{36}/(model|secrets|budget|metrics|plugins|files|external))\\b";

  private static final class Running {

    static final TestServer SERVER =
        TestServer.start(
            "SERVER_PORT=" + URI.create(PLATFORM).getPort(),
            "CORS_ORIGINS=" + ADDRESS,
            "AGENT_URL_ALLOW=loopback");

    static {
      SharedResources.run(SERVER::close);
    }
  }

  /** Tests that need a canvas; each begins with an empty fleet. */
  @InBrowser
  @ExtendWith(Given.class)
  @Target(ElementType.TYPE)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Tests {}

  /** Skips the tests loudly where no canvas is given. */
  static final class Given implements ExecutionCondition, BeforeEachCallback {

    private static final AtomicBoolean SAID = new AtomicBoolean();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      if (!ADDRESS.isEmpty()) {
        return ConditionEvaluationResult.enabled("there is a canvas");
      }
      if (SAID.compareAndSet(false, true)) {
        System.err.println(
            """

            !!! NOT RUN: the tests of an existing canvas. None is given: src/test/canvas/run FOLDER runs them.
            """);
      }
      return ConditionEvaluationResult.disabled("no canvas is given: see src/test/canvas/run");
    }

    @Override
    public void beforeEach(ExtensionContext context) {
      for (JsonNode workspace : client().get("/workspaces", TestServer.ADMIN_TOKEN).json()) {
        if (workspace.path("parent_id").isNull()) {
          client()
              .delete(
                  "/workspaces/" + workspace.path("id").asString() + "?confirm=true",
                  TestServer.ADMIN_TOKEN);
        }
      }
      client()
          .send("PUT", "/canvas/viewport", TestServer.ADMIN_TOKEN, "{\"x\":0,\"y\":0,\"zoom\":1}");
    }
  }

  private ExistingCanvas() {}

  static TestClient client() {
    return Running.SERVER.client();
  }

  static JsonNode read(String path) {
    return client().get(path, TestServer.ADMIN_TOKEN).json();
  }

  /** Opens the page: the tree of agents, and the chat with the selected one. */
  static Page open(Tab tab) {
    tab.expects(UNKNOWN).expects("another origin: " + Pattern.quote(PLATFORM) + "/");
    tab.go(ADDRESS, "/");
    tab.page().getByTestId("agent-tree-node").first().waitFor();
    return tab.page();
  }

  /** Opens the map: the workspaces as cards. */
  static Page openMap(Tab tab) {
    Page page = open(tab);
    showMap(page);
    return page;
  }

  static void showMap(Page page) {
    page.getByTestId("nav-map").click();
    PlaywrightAssertions.assertThat(
            page.getByText("Live", new Page.GetByTextOptions().setExact(true)))
        .isVisible();
  }

  static Locator inTree(Page page, Agent agent) {
    return page.locator("[data-testid=agent-tree-node][data-ws-id='" + agent.id() + "']");
  }

  static Locator card(Page page, Agent agent) {
    return page.locator("[data-workspace-id='" + agent.id() + "']");
  }

  /** Opens the panel of a workspace on the map. */
  static Locator panel(Page page, Agent agent, String tab) {
    card(page, agent).click(new Locator.ClickOptions().setPosition(60, 20));
    page.locator("#tab-" + tab).click();
    return page.locator("#panel-" + tab);
  }

  static void choose(Page page, Agent agent, String action) {
    card(page, agent)
        .click(new Locator.ClickOptions().setButton(MouseButton.RIGHT).setPosition(60, 20));
    page.getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName(action)).click();
  }

  /** A place on the map, for {@code create}. */
  static String at(int x, int y) {
    return "\"canvas\":{\"x\":%d,\"y\":%d}".formatted(x, y);
  }

  /** A parent, for {@code create}. */
  static String under(Agent parent) {
    return "\"parent_id\":\"" + parent.id() + "\"";
  }

  /** Letters in any case: style sheets change it. */
  static void assertShows(Locator locator, String text) {
    PlaywrightAssertions.assertThat(locator)
        .containsText(text, new LocatorAssertions.ContainsTextOptions().setIgnoreCase(true));
  }
}
