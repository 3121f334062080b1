package dev.muster.platform.http;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Releases a request's resources when its response is written or its client is gone.
 *
 * <p>An asynchronous request keeps them until its response is complete.
 */
public final class RequestResources {

  private static final String HELD = RequestResources.class.getName();

  private @Nullable Runnable held;
  private boolean ended;

  private RequestResources() {}

  /**
   * Returns the resources of a started request. Other threads may keep them, also after its end.
   */
  public static RequestResources of(HttpServletRequest request) {
    if (request.getAttribute(HELD) instanceof RequestResources resources) {
      return resources;
    }
    throw new IllegalStateException("the request did not pass the filter that begins it");
  }

  /** Runs {@code release} once, when the request ends; at once if it has ended. */
  public void onEnd(Runnable release) {
    if (!add(release)) {
      release.run();
    }
  }

  /** Starts a request. It must run before the first {@link #of}. */
  static void begin(HttpServletRequest request) {
    request.setAttribute(HELD, new RequestResources());
  }

  /** Ends a request after its first dispatch; an asynchronous one ends with its response. */
  static void end(HttpServletRequest request) {
    RequestResources resources = of(request);
    if (request.isAsyncStarted()) {
      request.getAsyncContext().addListener(new AtTheEnd(resources));
    } else {
      resources.releaseAll();
    }
  }

  private synchronized boolean add(Runnable release) {
    if (!ended) {
      Runnable before = held;
      held = before == null ? release : () -> runBoth(before, release);
    }
    return !ended;
  }

  private static void runBoth(Runnable one, Runnable other) {
    try {
      one.run();
    } finally {
      other.run();
    }
  }

  private void releaseAll() {
    @Nullable Runnable all = takeAll();
    if (all != null) {
      all.run();
    }
  }

  private synchronized @Nullable Runnable takeAll() {
    @Nullable Runnable all = held;
    ended = true;
    held = null;
    return all;
  }

  private record AtTheEnd(RequestResources resources) implements AsyncListener {

    @Override
    public void onComplete(AsyncEvent event) {
      resources.releaseAll();
    }

    /** Does nothing: {@link #onComplete} follows. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    /** Does nothing: {@link #onComplete} follows. */
    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this);
    }
  }
}
