package dev.muster.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.stream.Stream;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Stops the resources that all tests of this JVM share, the last started first. */
public final class SharedResources implements LauncherSessionListener {

  private static final Deque<Runnable> ACTIONS = new ArrayDeque<>();

  public static synchronized void run(Runnable action) {
    ACTIONS.push(action);
  }

  static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void launcherSessionClosed(LauncherSession session) {
    synchronized (SharedResources.class) {
      while (!ACTIONS.isEmpty()) {
        ACTIONS.pop().run();
      }
    }
  }
}
