package dev.muster.agent;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records whether the runtime is wedged: alive, but useless until a restart. The next heartbeat
 * reports it, the workspace becomes {@code degraded}, and the canvas shows the reason.
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
 * <p><b>The reason</b> is for the operator: about 80 characters, including the recovery action.
 *
 * <p><b>What is no wedge:</b> a transient failure, such as a rate limit or one failed call. A
 * needless restart teaches the operator to ignore the reason. A runtime that fails for some inputs
 * only responds to those with an A2A error. A wedge means that every later request will fail. Do
 * not keep a separate flag or a separate way to clear it: heartbeats read only this class.
 *
 * <p>The static methods concern the whole process, which suits one executor per process. With
 * several executors, make one instance for each. Safe from any thread; reads take no lock.
 */
public final class RuntimeWedge {

  private static final Logger log = LoggerFactory.getLogger(RuntimeWedge.class);
  private static final String HEALTHY = "";
  private static final RuntimeWedge OF_PROCESS = new RuntimeWedge();

  private final AtomicReference<String> reason = new AtomicReference<>(HEALTHY);
  private final List<Runnable> watchers = new CopyOnWriteArrayList<>();

  /** Makes a healthy instance, for one of several executors in a process. */
  public RuntimeWedge() {}

  /** Returns the instance behind the static methods. */
  public static RuntimeWedge ofProcess() {
    return OF_PROCESS;
  }

  /** Calls {@link #mark} for the whole process. */
  public static void markWedged(@Nullable String reason) {
    OF_PROCESS.mark(reason);
  }

  /** Calls {@link #clear} for the whole process. */
  public static void clearWedge() {
    OF_PROCESS.clear();
  }

  /** Returns whether this process is wedged. */
  public static boolean isWedged() {
    return OF_PROCESS.isMarked();
  }

  /** Returns why this process is wedged; {@code ""} when it is not. */
  public static String wedgeReason() {
    return OF_PROCESS.reason();
  }

  /**
   * Marks the runtime as wedged until {@link #clear}. The first reason stays: a later one may be
   * less precise, and the displayed text should not change repeatedly.
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

  /** Clears the wedge; call it after every success. When healthy it costs one atomic read. */
  public void clear() {
    if (isMarked() && !reason.getAndSet(HEALTHY).isEmpty()) {
      log.info(
          "runtime wedge cleared after a success — the workspace will be online with the next"
              + " heartbeat");
      notifyListeners();
    }
  }

  /** Returns whether the runtime is wedged. */
  public boolean isMarked() {
    return !reason().isEmpty();
  }

  /** Returns why the runtime is wedged; {@code ""} when it is not. */
  public String reason() {
    return reason.get();
  }

  /** Clears the wedge without calling the watchers; for tests. */
  void reset() {
    reason.set(HEALTHY);
  }

  /** Adds a watcher of changes, such as a heartbeat loop. It must not throw or block. */
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
