package dev.muster.protocol.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** One send: its attempts, and the waits between them. */
final class Send {

  private final A2aClient.Parts parts;
  private final Transport transport;
  private final A2aRequest request;
  private final @Nullable StreamSink sink;
  private final long startedAt = System.nanoTime();
  private int attempts;
  private int deliveries;

  Send(A2aClient.Parts parts, Transport transport, A2aRequest request, @Nullable StreamSink sink) {
    this.parts = parts;
    this.transport = transport;
    this.request = request;
    this.sink = sink;
  }

  A2aResult run() {
    parts.budget().sent(request.target());
    @Nullable FailureKind last = null;
    while (!request.deadline().isOver()) {
      AttemptEnd end = attempt();
      if (end instanceof AttemptEnd.Responded(String word, var result)) {
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

  private static Failure failure(AttemptEnd end) {
    if (end instanceof AttemptEnd.Failed(Failure failure)) {
      return failure;
    }
    throw new IllegalStateException("ended like a stream that never began: " + end);
  }

  /** Null when there is to be another attempt. */
  private @Nullable A2aResult giveUpOrWait(Failure failure) {
    if (failure.kind() == FailureKind.INTERRUPTED) {
      return unreachable(failure, EndReason.INTERRUPTED);
    }
    if (!failure.kind().isTransient()) {
      return unreachable(failure, EndReason.NOT_RETRYABLE);
    }
    if (request.deadline().isOver()) {
      return new A2aResult.OutOfTime(failure.kind(), effort());
    }
    if (failure.mayHaveArrived() && !parts.policy().retriesAmbiguous()) {
      return unreachable(failure, EndReason.AMBIGUOUS);
    }
    if (attempts == parts.policy().maxAttempts()) {
      return unreachable(failure, EndReason.ATTEMPTS_USED_UP);
    }
    Duration wait = BackOff.before(attempts, ThreadLocalRandom.current().nextDouble());
    if (wait.compareTo(request.deadline().left()) >= 0) {
      return new A2aResult.OutOfTime(failure.kind(), effort());
    }
    if (!parts.budget().mayRetry(request.target())) {
      return unreachable(failure, EndReason.RETRY_BUDGET);
    }
    return pause(wait) ? null : unreachable(failure, EndReason.INTERRUPTED);
  }

  private boolean pause(Duration wait) {
    try {
      parts.pause().take(wait);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private AttemptEnd attempt() {
    attempts++;
    Attempt attempt = Attempt.start(transport, request, sink != null);
    Relay relay = new Relay(request.target(), sink);
    boolean ended = false;
    try {
      while (true) {
        switch (attempt.next(request.deadline().left())) {
          case null -> {
            Phase reached = attempt.abandon();
            return relay.end(failed(reached.whenTooLong(), reached));
          }
          case Step.StreamBegan began -> relay.begin(began);
          case Step.StreamBytes(byte[] bytes) -> relay.pass(bytes);
          case Step.Ended(AttemptEnd end) -> {
            ended = true;
            return relay.end(end);
          }
          case Step.Crashed(Throwable bug) -> {
            ended = true;
            throw unchecked(bug);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return relay.end(failed(FailureKind.INTERRUPTED, attempt.abandon()));
    } finally {
      if (!ended) {
        attempt.abandon();
      }
      deliveries += attempt.phase().mayHaveArrived() ? 1 : 0;
    }
  }

  private static AttemptEnd failed(FailureKind kind, Phase phase) {
    return new AttemptEnd.Failed(Failure.of(kind, phase));
  }

  /** Bugs stay loud: they reach whoever sends. */
  private static RuntimeException unchecked(Throwable bug) {
    return switch (bug) {
      case Error error -> throw error;
      case RuntimeException exception -> exception;
      default -> new IllegalStateException(bug);
    };
  }

  private A2aResult unreachable(Failure failure, EndReason why) {
    return new A2aResult.Unreachable(failure.kind(), failure.detail(), why, effort());
  }

  private Effort effort() {
    return new Effort(
        request.target(),
        attempts,
        parts.policy().maxAttempts(),
        deliveries,
        Duration.ofNanos(System.nanoTime() - startedAt));
  }
}
