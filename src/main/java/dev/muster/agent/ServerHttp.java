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

/** Requests to the platform with the workspace's token, tried again as their patience says. */
final class ServerHttp {

  private static final MediaType JSON = MediaType.get("application/json");
  private static final int MAX_IDLE_CONNECTIONS = 100;
  private static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(1);

  /** One for all agents of a process. Connections that were idle longer may be closed already. */
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
            .followRedirects(false) // the token is for this platform alone
            .retryOnConnectionFailure(false)
            .fastFallback(false) // it would connect on threads of its own
            .addNetworkInterceptor(ServerHttp::inert)
            .build();
  }

  /** OkHttp sends a request again by itself when a 503 asks for that. */
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
   * Any answer but those that may pass, which are waited for first.
   *
   * @throws MusterException when there was no answer at all, or the call was cancelled
   */
  ServerResponse exchange(ServerRequest call) {
    RequestTimeouts timeout = call.timeout();
    Deadline deadline = Deadline.in(timeout.total());
    for (int attempt = 1; ; attempt++) {
      boolean last = attempt == timeout.policy().maxAttempts();
      Duration atLeast = Duration.ZERO;
      try {
        ServerResponse answer = admitted(call, deadline);
        if (last || !answer.mayPass(timeout.forPeers())) {
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

  /** The JSON of a 2xx; every other answer is thrown. */
  JsonNode json(ServerRequest call) {
    ServerResponse answer = exchange(call);
    if (!answer.isSuccess() || answer.body().isMissingNode()) {
      throw answer.failure(call);
    }
    return answer.body();
  }

  /** A token that is refused may have been replaced in its file. */
  private ServerResponse admitted(ServerRequest call, Deadline deadline) throws IOException {
    Optional<String> token = credential.token();
    ServerResponse answer = once(call, token, deadline);
    return answer.status() == 401 && credential.changedFrom(token.orElse(null))
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
    RequestTimeouts timeout = call.timeout();
    Duration left = deadline.left();
    return http.newBuilder()
        .connectTimeout(atLeastAMilli(min(left, timeout.policy().connectTimeout())))
        .readTimeout(atLeastAMilli(min(left, timeout.silence())))
        .writeTimeout(atLeastAMilli(min(left, timeout.silence())))
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

  /** Whether there may be another attempt after it. */
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
              case ConnectException _ -> "nobody listens there, or no way leads there";
              case UnknownHostException _ -> "the name has no address";
              default ->
                  e.getClass().getSimpleName()
                      + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")");
            };
    return new MusterException(
        0,
        cancelled ? MusterException.CANCELLED : MusterException.UNREACHABLE,
        "no answer from the platform at " + where + ", attempts " + attempts + ": " + why,
        e);
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** To OkHttp, zero means for ever. */
  private static Duration atLeastAMilli(Duration duration) {
    return Duration.ofMillis(Math.clamp(duration.toMillis(), 1, Integer.MAX_VALUE));
  }
}
