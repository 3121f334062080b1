package dev.muster.platform.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.springframework.web.context.request.async.DeferredResult;

/** Answers that are given later, and held without a thread until then. */
public final class AsyncResponses {

  private AsyncResponses() {}

  /** The wait has its own end: the container's, after half a minute, would be too early. */
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
