package dev.muster.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets tests wait longer than usual for what must come: the machine may pause for seconds. Tests of
 * a time limit measure the time themselves.
 */
public final class AwaitLimit implements LauncherSessionListener {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(LIMIT);
  }
}
