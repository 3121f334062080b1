package dev.muster.protocol.client;

import dev.muster.protocol.client.TargetGuard.TargetNotAllowedException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.CookieJar;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;

/** Wraps OkHttp without its automatic actions: one call is one request on one connection. */
final class Transport implements AutoCloseable {

  private static final int MAX_IDLE_CONNECTIONS = 1_000;

  /**
   * Common agent servers (uvicorn, Node) close idle connections after 5 s.
   *
   * <p>A request that coincides with such a close may or may not have arrived.
   */
  private static final Duration IDLE_LIMIT = Duration.ofSeconds(4);

  /**
   * Looks a name up on a thread of its own, since a guard may block without a limit. The thread is
   * interrupted when the send ends before. OkHttp reuses a connection only for an equal object, so
   * two objects of different deadlines are equal.
   */
  private record TargetDns(TargetGuard guard, String target, Deadline deadline) implements Dns {

    @Override
    public List<InetAddress> lookup(String host) throws UnknownHostException {
      FutureTask<List<InetAddress>> lookup = new FutureTask<>(() -> guard.resolve(host, target));
      Thread.ofVirtual().name("a2a-lookup").start(lookup);
      try {
        return lookup.get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        throw new UnknownHostException("not found by the deadline");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UnknownHostException("interrupted");
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case UnknownHostException notFound -> throw notFound;
          case RuntimeException bug -> throw bug;
          case Error bug -> throw bug;
          case null, default -> throw new IllegalStateException(e);
        }
      } finally {
        lookup.cancel(true);
      }
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof TargetDns that
          && guard.equals(that.guard)
          && target.equals(that.target);
    }

    @Override
    public int hashCode() {
      return Objects.hash(guard, target);
    }
  }

  private final TargetGuard guard;
  private final Duration connectTimeout;
  private final OkHttpClient http;

  Transport(TargetGuard guard, Duration connectTimeout) {
    this.guard = guard;
    this.connectTimeout = connectTimeout;
    this.http =
        new OkHttpClient.Builder()
            .connectionPool(
                new ConnectionPool(
                    MAX_IDLE_CONNECTIONS, IDLE_LIMIT.toMillis(), TimeUnit.MILLISECONDS))
            .proxy(Proxy.NO_PROXY)
            .protocols(List.of(Protocol.HTTP_1_1))
            .followRedirects(false)
            .followSslRedirects(false)
            .retryOnConnectionFailure(false)
            .fastFallback(false) // it would connect on its own threads
            .cookieJar(CookieJar.NO_COOKIES)
            .build();
  }

  void requireAllowed(String url) throws TargetNotAllowedException {
    guard.requireAllowed(url);
  }

  /** Creates a call without starting it; the call reports its progress to {@code attempt}. */
  Call call(HttpUrl url, A2aRequest request, boolean streaming, HttpAttempt attempt) {
    Duration silence = request.deadline().capping(request.readTimeout());
    return http.newBuilder()
        .dns(new TargetDns(guard, request.target(), request.deadline()))
        .callTimeout(atLeastAMilli(request.deadline().left().plusMillis(1)))
        .connectTimeout(atLeastAMilli(request.deadline().capping(connectTimeout)))
        .readTimeout(atLeastAMilli(silence))
        .writeTimeout(atLeastAMilli(silence))
        .eventListener(attempt)
        .addNetworkInterceptor(attempt::send)
        .build()
        .newCall(message(url, request, streaming));
  }

  private static Request message(HttpUrl url, A2aRequest request, boolean streaming) {
    Request.Builder message =
        new Request.Builder()
            .url(url)
            .header("Content-Type", "application/json")
            .header(
                "Accept", streaming ? "text/event-stream, application/json" : "application/json")
            .header("User-Agent", "muster")
            .header("X-Timeout", Long.toString(secondsLeft(request.deadline())));
    request.headers().forEach(message::header);
    return message
        .header("Accept-Encoding", "identity")
        .post(RequestBody.create(request.body()))
        .build();
  }

  /** Returns whole seconds, for peers that read no fractions (R7.8). */
  private static long secondsLeft(Deadline deadline) {
    return Math.max(1, deadline.left().toSeconds());
  }

  /** Returns at least 1 ms, because zero disables OkHttp's timeouts. */
  private static Duration atLeastAMilli(Duration duration) {
    return Duration.ofMillis(Math.clamp(duration.toMillis(), 1, Integer.MAX_VALUE));
  }

  /** Closes idle connections; active ones continue. */
  @Override
  public void close() {
    http.connectionPool().evictAll();
  }
}
