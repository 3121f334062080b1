package dev.muster.webhook;

import dev.muster.platform.work.FailingUnits;
import dev.muster.webhook.NotificationRepository.Claimed;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.AddressNotAllowedException;
import dev.muster.workspace.agenturl.AgentUrlGuard.Decision;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import okhttp3.CookieJar;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Sends each notification at least once, and only to allowed addresses (R3.3).
 *
 * <p>Neither the receiver's url nor the secret is logged, since the path of a url often is a
 * secret.
 */
@Component
class WebhookSender {

  private static final Logger log = LoggerFactory.getLogger(WebhookSender.class);

  /** Less than the duration of a claim. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration MAX_PAUSE = Duration.ofMinutes(5);
  private static final int MAX_DOUBLINGS = 6;

  private final NotificationRepository notifications;
  private final WebhookSettings settings;
  private final AgentUrlGuard guard;
  private final InstantSource clock;
  private final MeterRegistry metrics;
  private final Counter dropped;
  private final FailingUnits failing;
  private final OkHttpClient http;

  /** The problem of the last attempt; null for success. Only the loop's thread uses it. */
  private @Nullable String lastProblem;

  WebhookSender(
      NotificationRepository notifications,
      WebhookSettings settings,
      AgentUrlGuard guard,
      InstantSource clock,
      MeterRegistry metrics) {
    this.notifications = notifications;
    this.settings = settings;
    this.guard = guard;
    this.clock = clock;
    this.metrics = metrics;
    this.failing = new FailingUnits("webhook", metrics);
    this.dropped =
        Counter.builder("muster.webhook.dropped")
            .description("Notifications that the webhook's receiver did not take within an hour")
            .register(metrics);
    this.http =
        new OkHttpClient.Builder()
            .dns(host -> guard.resolve(host, "webhook"))
            .callTimeout(TIMEOUT)
            .proxy(Proxy.NO_PROXY)
            .protocols(List.of(Protocol.HTTP_1_1))
            .followRedirects(false)
            .followSslRedirects(false)
            .retryOnConnectionFailure(false)
            .fastFallback(false)
            .cookieJar(CookieJar.NO_COOKIES)
            .build();
    List.of("sent", "refused", "unreachable", "forbidden").forEach(this::attempts);
  }

  /**
   * Sends the notification that has been due for longest; returns false when none is due, or when
   * it was not taken.
   */
  boolean sendNext() {
    Optional<UUID> next = notifications.next(failing.delayed(UUID.class));
    return next.isPresent()
        && (!failing.run(next.get(), () -> notifications.claim(next.get()).ifPresent(this::send))
            || lastProblem == null);
  }

  private void send(Claimed notification) {
    HttpUrl url = settings.url().orElseThrow();
    @Nullable String problem = attempt(url, notification.body());
    lastProblem = problem;
    if (problem == null) {
      notifications.end(notification.id());
      return;
    }
    Duration pause = pause(notification.attempts() - 1, ThreadLocalRandom.current().nextDouble());
    if (!notifications.tryLater(notification.id(), pause)) {
      notifications.drop(notification.id());
      dropped.increment();
      log.warn(
          "notification {} is dropped: the webhook at {} did not take it within an hour ({})",
          notification.id(),
          url.host(),
          problem);
    }
  }

  /**
   * Fails while the receiver does not take what waits for it, so that the loop's state and the log
   * say so.
   */
  void requireTaken() {
    if (lastProblem != null && !notifications.anyWaits()) {
      lastProblem = null;
    }
    if (lastProblem != null) {
      throw new IllegalStateException(
          "the webhook at %s did not take a notification (%s); each is tried again for an hour"
              .formatted(settings.url().orElseThrow().host(), lastProblem));
    }
  }

  /** Returns the error of the attempt, null for success. The body of the answer is not read. */
  private @Nullable String attempt(HttpUrl url, String body) {
    if (guard.checkForm(url.toString()) instanceof Decision.Refused(String label, String _)) {
      return failed("forbidden", "its address is " + label);
    }
    try (Response response = http.newCall(request(url, body)).execute()) {
      if (response.isSuccessful()) {
        attempts("sent").increment();
        return null;
      }
      return failed("refused", "it answered " + response.code());
    } catch (AddressNotAllowedException e) {
      return failed("forbidden", "its address is " + e.addressClass().label());
    } catch (IOException e) {
      return failed("unreachable", "it cannot be reached: " + e.getClass().getSimpleName());
    }
  }

  private String failed(String outcome, String problem) {
    attempts(outcome).increment();
    return problem;
  }

  private Counter attempts(String outcome) {
    return Counter.builder("muster.webhook.attempts")
        .description("Attempts to send a notification to the webhook's receiver")
        .tag("outcome", outcome)
        .register(metrics);
  }

  private Request request(HttpUrl url, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    Request.Builder request =
        new Request.Builder()
            .url(url)
            .header("Content-Type", "application/json")
            .header("User-Agent", "muster")
            .header("Accept-Encoding", "identity")
            .post(RequestBody.create(bytes));
    settings
        .secret()
        .ifPresent(secret ->
            request.header(
                "X-Muster-Signature", signature(secret, clock.instant().getEpochSecond(), body)));
    return request.build();
  }

  /** Returns {@code t=<seconds>,v1=<HMAC-SHA-256 of "<seconds>.<body>" in hex>}. */
  static String signature(String secret, long epochSecond, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      byte[] signed = mac.doFinal((epochSecond + "." + body).getBytes(StandardCharsets.UTF_8));
      return "t=" + epochSecond + ",v1=" + HexFormat.of().formatHex(signed);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the pause after a failure: 5 s × 2ⁿ, at most 5 minutes, reduced by up to a half at
   * random.
   *
   * @param random from 0 to 1
   */
  static Duration pause(int failuresBefore, double random) {
    long whole =
        Math.min(
            FIRST_PAUSE.toMillis() << Math.clamp(failuresBefore, 0, MAX_DOUBLINGS),
            MAX_PAUSE.toMillis());
    return Duration.ofMillis(Math.round(whole * (1 - random / 2)));
  }

  /** Cancels the running attempt; the notification is sent again later. */
  void cancel() {
    http.dispatcher().cancelAll();
  }
}
