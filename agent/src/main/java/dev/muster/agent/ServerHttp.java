package dev.muster.agent;

import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.RetryDelay;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Proxy;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends requests to the server with the workspace's token and retries them. */
final class ServerHttp {

  private static final MediaType JSON = MediaType.get("application/json");
  private static final int MAX_IDLE_CONNECTIONS = 100;
  private static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(1);

  /**
   * Holds the HTTP client of all agents in a process. It drops connections after 4 s without use,
   * because the other side may have closed them by then.
   */
  private static final class Shared {
    static final OkHttpClient HTTP =
        new OkHttpClient.Builder()
            .connectionPool(new ConnectionPool(MAX_IDLE_CONNECTIONS, 4, TimeUnit.SECONDS))
            .build();
  }

  private final HttpUrl base;
  private final TokenSource credential;
  private final OkHttpClient http;

  ServerHttp(HttpUrl base, TokenSource credential, @Nullable OkHttpClient http) {
    this.base = base;
    this.credential = credential;
    this.http =
        (http == null ? Shared.HTTP : http)
            .newBuilder()
            .proxy(http == null ? Proxy.NO_PROXY : http.proxy())
            .protocols(List.of(Protocol.HTTP_1_1))
            .followRedirects(false) // a redirect could leak the token
            .retryOnConnectionFailure(false)
            .fastFallback(false) // it connects on extra threads
            .addNetworkInterceptor(ServerHttp::inert)
            .build();
  }

  /** Renames {@code Retry-After}: OkHttp would repeat a request on 503 by itself. */
  private static Response inert(Interceptor.Chain chain) throws IOException {
    Response response = chain.proceed(chain.request());
    String asked = response.header("Retry-After");
    return asked == null
        ? response
        : response
            .newBuilder()
            .removeHeader("Retry-After")
            .header(ServerResponse.RETRY_AFTER, asked)
            .build();
  }

  /**
   * Sends a request, retries transient errors and returns the last response, whatever its status.
   *
   * @throws MusterException when the last attempt got no response, or the request was cancelled
   */
  ServerResponse exchange(ServerRequest call) {
    RequestTimeouts timeouts = call.timeouts();
    Deadline deadline = Deadline.in(timeouts.total());
    for (int attempt = 1; ; attempt++) {
      boolean last = attempt == timeouts.policy().maxAttempts();
      Duration atLeast = Duration.ZERO;
      try {
        ServerResponse answer = admitted(call, deadline);
        if (last || !answer.mayPass(timeouts.forPeers())) {
          return answer;
        }
        atLeast = answer.retryAfter();
        if (!rest(call, attempt, atLeast, deadline)) {
          return answer;
        }
      } catch (IOException e) {
        if (last || !rest(call, attempt, atLeast, deadline)) {
          throw unreachable(call, e, attempt);
        }
      }
    }
  }

  /** Returns the JSON body of a 2xx; throws a {@link MusterException} for any other response. */
  JsonNode json(ServerRequest call) {
    ServerResponse answer = exchange(call);
    if (!answer.isSuccess() || answer.body().isMissingNode()) {
      throw answer.failure(call);
    }
    return answer.body();
  }

  /** Sends a request, and once more with another token of the file when its own is refused. */
  private ServerResponse admitted(ServerRequest call, Deadline deadline) throws IOException {
    Optional<String> token = credential.token();
    ServerResponse answer = once(call, token, deadline);
    return MusterException.refusesToken(answer.status(), answer.code())
            && credential.changedFrom(token.orElse(null))
        ? once(call, credential.token(), deadline)
        : answer;
  }

  private ServerResponse once(ServerRequest call, Optional<String> token, Deadline deadline)
      throws IOException {
    Call started = started(call, request(call, token), deadline);
    call.cancellation().enter(started);
    try (Response response = started.execute()) {
      return ServerResponse.of(response, response.body().bytes());
    } finally {
      call.cancellation().leave(started);
    }
  }

  private Call started(ServerRequest call, Request request, Deadline deadline) {
    RequestTimeouts timeouts = call.timeouts();
    Duration left = deadline.left();
    return http.newBuilder()
        .connectTimeout(atLeastAMilli(min(left, timeouts.policy().connectTimeout())))
        .readTimeout(atLeastAMilli(min(left, timeouts.silence())))
        .writeTimeout(atLeastAMilli(min(left, timeouts.silence())))
        .callTimeout(atLeastAMilli(left))
        .build()
        .newCall(request);
  }

  private Request request(ServerRequest call, Optional<String> token) {
    Request.Builder request =
        new Request.Builder()
            .url(url(call.path()))
            .header("Accept", "application/json")
            .header("User-Agent", "muster-agent");
    token.ifPresent(known -> request.header("Authorization", "Bearer " + known));
    call.headers().forEach(request::header);
    JsonNode body = call.body();
    return body == null
        ? request.method(call.method(), null).build()
        : request
            .method(
                call.method(),
                RequestBody.create(JsonMapper.shared().writeValueAsBytes(body), JSON))
            .build();
  }

  private HttpUrl url(String path) {
    HttpUrl url = HttpUrl.parse(base.toString().replaceFirst("/+$", "") + path);
    if (url == null) {
      throw new IllegalArgumentException("no path of a url: " + path);
    }
    return url;
  }

  /** Waits for the next attempt; false when the deadline or a cancellation prevents one. */
  private static boolean rest(
      ServerRequest call, int attempt, Duration atLeast, Deadline deadline) {
    Duration own = RetryDelay.before(attempt, ThreadLocalRandom.current().nextDouble());
    Duration asked = min(atLeast, MAX_RETRY_AFTER);
    Duration wait = own.compareTo(asked) < 0 ? asked : own;
    return wait.compareTo(deadline.left()) < 0 && call.cancellation().pause(wait);
  }

  private MusterException unreachable(ServerRequest call, IOException e, int attempts) {
    boolean cancelled = call.cancellation().isCancelled() || Thread.currentThread().isInterrupted();
    String where = base.host() + ":" + base.port();
    String why =
        cancelled
            ? "stopped"
            : switch (e) {
              case ConnectException ignored -> "connection refused, or no route to the host";
              case UnknownHostException ignored -> "the name has no address";
              default ->
                  e.getClass().getSimpleName()
                      + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")");
            };
    return new MusterException(
        0,
        cancelled ? MusterException.CANCELLED : MusterException.UNREACHABLE,
        "no answer from the server at " + where + ", attempts " + attempts + ": " + why,
        e);
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Limits to 1 ms or more: OkHttp takes 0 as no time limit. */
  private static Duration atLeastAMilli(Duration duration) {
    return Duration.ofMillis(Math.clamp(duration.toMillis(), 1, Integer.MAX_VALUE));
  }
}
