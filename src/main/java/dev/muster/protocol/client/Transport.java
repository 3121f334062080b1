package dev.muster.protocol.client;

import dev.muster.protocol.client.TargetGuard.TargetNotAllowedException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.CookieJar;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;

/** Wraps OkHttp without its automatic actions: one call is one request on one connection. */
final class Transport implements AutoCloseable {

  private static final int MAX_IDLE_CONNECTIONS = 1_000;

  /**
   * Common agent servers (uvicorn, Node) close idle connections after 5 s.
   *
   * <p>A request that coincides with such a close may or may not have arrived.
   */
  private static final Duration IDLE_LIMIT = Duration.ofSeconds(4);

  /** A record, because OkHttp reuses connections only for an equal Dns. */
  private record TargetDns(TargetGuard guard, String target) implements Dns {
    @Override
    public List<InetAddress> lookup(String host) throws UnknownHostException {
      return guard.resolve(host, target);
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
        .dns(new TargetDns(guard, request.target()))
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
