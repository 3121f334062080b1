package dev.muster.platform.http;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a request holds until its answer is written, or its client is gone, and then gives back.
 * Requests that are answered later keep it until then.
 */
final class RequestResources {

  private static final String HELD = RequestResources.class.getName();

  private @Nullable Runnable held;
  private boolean ended;

  private RequestResources() {}

  /** Of a request that has begun; may be kept by other threads, also beyond its end. */
  static RequestResources of(HttpServletRequest request) {
    if (request.getAttribute(HELD) instanceof RequestResources resources) {
      return resources;
    }
    throw new IllegalStateException("the request did not pass the filter that begins it");
  }

  /** Runs {@code giveBack} once, when the request ends; at once when it has ended already. */
  void onEnd(Runnable release) {
    if (!add(release)) {
      release.run();
    }
  }

  /** Before anything may be held for the request. */
  static void begin(HttpServletRequest request) {
    request.setAttribute(HELD, new RequestResources());
  }

  /** After its first dispatch: it has ended, or it does when its asynchronous answer is written. */
  static void end(HttpServletRequest request) {
    RequestResources resources = of(request);
    if (request.isAsyncStarted()) {
      request.getAsyncContext().addListener(new AtTheEnd(resources));
    } else {
      resources.giveBackAll();
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

  private void giveBackAll() {
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
      resources.giveBackAll();
    }

    /** It is completed afterwards. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    /** It is completed afterwards. */
    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this);
    }
  }
}
