package dev.muster.agent;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Waits for the text of a handler's reply. */
final class HandlerResult {

  private HandlerResult() {}

  /** Returns the text, {@code ""} for no reply; throws the failure of a stage. */
  static String of(Reply reply) throws Exception {
    return switch (reply) {
      case Reply.Text(String text) -> text.isBlank() ? "" : text;
      case Reply.None ignored -> "";
      case Reply.Later later -> {
        try {
          @Nullable String text = later.text().toCompletableFuture().get();
          yield text == null || text.isBlank() ? "" : text;
        } catch (ExecutionException e) {
          throw e.getCause() instanceof Exception cause
              ? cause
              : new IllegalStateException(e.getCause());
        } catch (CancellationException e) {
          throw new IllegalStateException("the reply was cancelled", e);
        }
      }
    };
  }
}
