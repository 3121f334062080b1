package dev.muster.protocol.client;

import dev.muster.protocol.client.A2aResult.SendEndReason;
import dev.muster.protocol.client.A2aResult.SendStats;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Runs one send: its attempts and the waits between them. */
final class RetryingSend {

  private final A2aClient.Parts parts;
  private final Transport transport;
  private final A2aRequest request;
  private final @Nullable StreamSink sink;
  private final long startedAt = System.nanoTime();
  private int attempts;
  private int deliveries;

  RetryingSend(
      A2aClient.Parts parts, Transport transport, A2aRequest request, @Nullable StreamSink sink) {
    this.parts = parts;
    this.transport = transport;
    this.request = request;
    this.sink = sink;
  }

  A2aResult run() {
    parts.budget().sent(request.target());
    @Nullable FailureKind last = null;
    while (!request.deadline().isOver()) {
      AttemptResult end = attempt();
      if (end instanceof AttemptResult.Responded(String word, var result)) {
        parts.listener().attempted(request.target(), word);
        return result.apply(effort());
      }
      Failure failure = failure(end);
      last = failure.kind();
      parts.listener().attempted(request.target(), last.word());
      A2aResult result = giveUpOrWait(failure);
      if (result != null) {
        return result;
      }
    }
    return new A2aResult.OutOfTime(last, effort());
  }

  private static Failure failure(AttemptResult end) {
    if (end instanceof AttemptResult.Failed(Failure failure)) {
      return failure;
    }
    throw new IllegalStateException("ended like a stream that never began: " + end);
  }

  /** Waits before the next attempt and returns null, or returns the final result. */
  private @Nullable A2aResult giveUpOrWait(Failure failure) {
    if (failure.kind() == FailureKind.INTERRUPTED) {
      return unreachable(failure, SendEndReason.INTERRUPTED);
    }
    if (!failure.kind().isTransient()) {
      return unreachable(failure, SendEndReason.NOT_RETRYABLE);
    }
    if (request.deadline().isOver()) {
      return new A2aResult.OutOfTime(failure.kind(), effort());
    }
    if (failure.mayHaveArrived() && !parts.policy().retriesAmbiguous()) {
      return unreachable(failure, SendEndReason.AMBIGUOUS);
    }
    if (attempts == parts.policy().maxAttempts()) {
      return unreachable(failure, SendEndReason.ATTEMPTS_USED_UP);
    }
    Duration wait = RetryDelay.before(attempts, ThreadLocalRandom.current().nextDouble());
    if (wait.compareTo(request.deadline().left()) >= 0) {
      return new A2aResult.OutOfTime(failure.kind(), effort());
    }
    if (!parts.budget().mayRetry(request.target())) {
      return unreachable(failure, SendEndReason.RETRY_BUDGET);
    }
    return pause(wait) ? null : unreachable(failure, SendEndReason.INTERRUPTED);
  }

  private boolean pause(Duration wait) {
    try {
      parts.sleeper().take(wait);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private AttemptResult attempt() {
    attempts++;
    HttpAttempt attempt = new HttpAttempt(transport, request, sink);
    try {
      return attempt.run();
    } finally {
      deliveries += attempt.phase().mayHaveArrived() ? 1 : 0;
    }
  }

  private A2aResult unreachable(Failure failure, SendEndReason why) {
    return new A2aResult.Unreachable(failure.kind(), failure.detail(), why, effort());
  }

  private SendStats effort() {
    return new SendStats(
        request.target(),
        attempts,
        parts.policy().maxAttempts(),
        deliveries,
        Duration.ofNanos(System.nanoTime() - startedAt));
  }
}
