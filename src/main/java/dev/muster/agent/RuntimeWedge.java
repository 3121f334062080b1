package dev.muster.agent;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the runtime of this process is wedged: alive, but of no use until it is restarted. The
 * next heartbeat says so, the workspace becomes {@code degraded}, and whoever looks at the canvas
 * reads the reason in place of a green dot.
 *
 * {@snippet :
 * try {
 *   answer = sdk.query(prompt);
 * } catch (SdkBrokenException e) {
 *   RuntimeWedge.markWedged("SDK init timeout — restart workspace");
 *   throw e;
 * }
 * RuntimeWedge.clearWedge(); // it works (again): the next heartbeat is healthy
 * }
 *
 * <p><b>The reason</b> is what an operator reads: about 80 characters, with what to do about it.
 *
 * <p><b>What is no wedge:</b> anything that may pass by itself, such as a rate limit or one call
 * that failed: an operator who restarts for nothing learns to look away. A runtime that fails for
 * some inputs only answers those with an A2A error; a wedge means that every request from now on
 * will fail. And no flag of your own, nor your own way to clear it: heartbeats look here only.
 *
 * <p>The static methods speak of the whole process, which is right for one executor a process;
 * several executors have an instance each. Safe from any thread; reading takes no lock.
 */
public final class RuntimeWedge {

  private static final Logger log = LoggerFactory.getLogger(RuntimeWedge.class);
  private static final String HEALTHY = "";
  private static final RuntimeWedge OF_PROCESS = new RuntimeWedge();

  private final AtomicReference<String> reason = new AtomicReference<>(HEALTHY);
  private final List<Runnable> watchers = new CopyOnWriteArrayList<>();

  /** A healthy one, for one of several executors in a process. */
  public RuntimeWedge() {}

  /** The one that the static methods speak of. */
  public static RuntimeWedge ofProcess() {
    return OF_PROCESS;
  }

  /** {@link #mark} for the whole process. */
  public static void markWedged(@Nullable String reason) {
    OF_PROCESS.mark(reason);
  }

  /** {@link #clear} for the whole process. */
  public static void clearWedge() {
    OF_PROCESS.clear();
  }

  /** Whether this process is wedged. */
  public static boolean isWedged() {
    return OF_PROCESS.isMarked();
  }

  /** Why this process is wedged; {@code ""} when it is not. */
  public static String wedgeReason() {
    return OF_PROCESS.reason();
  }

  /**
   * Says that nothing will work until a restart. The first reason stays until {@link #clear}: a
   * later one may be less precise, and what the operator reads should not flicker.
   *
   * @param reason for the operator; {@code "wedged"} when it is null or blank
   */
  public void mark(@Nullable String reason) {
    String said = reason == null || reason.isBlank() ? "wedged" : reason;
    if (this.reason.compareAndSet(HEALTHY, said)) {
      log.error(
          "runtime wedge detected: {} — the workspace will report degraded until cleared", said);
      notifyListeners();
    }
  }

  /** Says that something worked. Costs next to nothing when healthy: call it on every success. */
  public void clear() {
    if (isMarked() && !reason.getAndSet(HEALTHY).isEmpty()) {
      log.info(
          "runtime wedge cleared after a success — the workspace will be online with the next"
              + " heartbeat");
      notifyListeners();
    }
  }

  /** Whether it is wedged. */
  public boolean isMarked() {
    return !reason().isEmpty();
  }

  /** Why it is wedged; {@code ""} when it is not. */
  public String reason() {
    return reason.get();
  }

  /** For tests: healthy again, and nobody hears of it. */
  void reset() {
    reason.set(HEALTHY);
  }

  /** For heartbeats, which hurry when this changes. A watcher throws nothing and does not block. */
  void watch(Runnable watcher) {
    watchers.add(watcher);
  }

  void unwatch(Runnable watcher) {
    watchers.remove(watcher);
  }

  private void notifyListeners() {
    watchers.forEach(Runnable::run);
  }
}
