package dev.muster.platform.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.springframework.web.context.request.async.DeferredResult;

/** Turns futures into asynchronous responses that hold no thread. */
public final class AsyncResponses {

  private AsyncResponses() {}

  /**
   * Returns a response without a time-out.
   *
   * <p>The future has its own limit, and the container's 30 s would end it too early.
   */
  public static <T> DeferredResult<T> of(CompletableFuture<T> answer) {
    DeferredResult<T> held = new DeferredResult<>(0L);
    var _ =
        answer.whenComplete((value, failure) -> {
          if (failure == null) {
            held.setResult(value);
          } else {
            held.setErrorResult(
                failure instanceof CompletionException wrapped && wrapped.getCause() != null
                    ? wrapped.getCause()
                    : failure);
          }
        });
    return held;
  }
}
