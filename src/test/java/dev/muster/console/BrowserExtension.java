package dev.muster.console;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives each class a place for its browser and each test a tab, and fails it for the faults of its
 * page.
 */
final class BrowserExtension
    implements ExecutionCondition,
        BeforeAllCallback,
        ParameterResolver,
        AfterTestExecutionCallback,
        AfterEachCallback {

  private static final Namespace TABS = Namespace.create(BrowserExtension.class);
  private static final AtomicBoolean SAID = new AtomicBoolean();

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (ChromiumProcess.program().isPresent()) {
      return ConditionEvaluationResult.enabled("there is a browser");
    }
    if (SAID.compareAndSet(false, true)) {
      System.err.println(
          """

          !!! NO BROWSER, SO NO TEST OF THE CONSOLE IS RUN.
          !!! Install Chromium (Debian: apt-get install chromium), or give the path of one: -D%s=/path
          """
              .formatted(ChromiumProcess.PROPERTY));
    }
    return ConditionEvaluationResult.disabled("this machine has no Chromium");
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // the store closes it after the last test of the class; a nested class finds that of its outer
    // one
    context.getStore(TABS).computeIfAbsent("slot", _ -> BrowserSlot.take(), BrowserSlot.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Tab.class;
  }

  @Override
  public Tab resolveParameter(ParameterContext parameter, ExtensionContext context) {
    // the store closes it when the test or its class is over, whatever became of it
    ExtensionContext owner = sharesCache(context) ? classOf(context) : context;
    return owner.getStore(TABS).computeIfAbsent("tab", _ -> Tab.open(), Tab.class);
  }

  /** A page that stayed would miss the server that its class closes. */
  @Override
  public void afterEach(ExtensionContext context) {
    Tab tab = context.getStore(TABS).get("tab", Tab.class);
    if (tab != null && sharesCache(context)) {
      tab.renew();
    }
  }

  private static boolean sharesCache(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getRequiredTestClass(), InBrowser.class)
        .map(InBrowser::sharesCache)
        .orElse(false);
  }

  private static ExtensionContext classOf(ExtensionContext context) {
    return context.getTestMethod().isEmpty() ? context : classOf(context.getParent().orElseThrow());
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    Tab tab = context.getStore(TABS).get("tab", Tab.class);
    if (tab == null) {
      return;
    }
    Optional<Throwable> failed = context.getExecutionException();
    if (failed.isPresent()) {
      Throwable failure = failed.get();
      tab.keepPicture(context.getRequiredTestClass(), context.getDisplayName());
      tab.faults().forEach(fault -> failure.addSuppressed(new AssertionError(fault)));
      return;
    }
    tab.assertNoFaults();
  }
}
