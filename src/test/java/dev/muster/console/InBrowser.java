package dev.muster.console;

import dev.muster.testing.Slow;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Tests that take a {@link Tab} of a real browser. Each has a tab of its own, with cookies and
 * storage of its own, and fails when the page does what no page may do: see {@link Tab#faults()}.
 */
@Slow
@ExtendWith(BrowserExtension.class)
@ResourceLock("browser")
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface InBrowser {

  /**
   * Whether the tests of the class have one cache of the browser, so that the console's modules are
   * loaded and compiled once. Not where a test is about what a page loads.
   */
  boolean sharesCache() default false;
}
