package dev.muster.protocol.client;

import dev.muster.protocol.client.Failure.AttemptPhase;
import dev.muster.protocol.client.ResponseReader.MalformedResponseException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one attempt, on the thread of the sender.
 *
 * <p>At the deadline OkHttp cancels the call. What that does not end has the same deadline: a name
 * lookup ({@link Transport}) and the wait for memory ({@link BoundedBody}).
 */
final class HttpAttempt extends EventListener {

  /**
   * Replaces all statuses outside 2xx, because OkHttp acts on some by itself.
   *
   * <p>It resends after 503 with {@code Retry-After: 0} and treats 407 as a failure.
   */
  private static final int INERT_STATUS = 400;

  /** The message of OkHttp's exception. */
  private static final String ENDED_TOO_EARLY = "unexpected end of stream";

  private static final Logger log = LoggerFactory.getLogger(HttpAttempt.class);

  private final Transport transport;
  private final A2aRequest request;
  private final @Nullable StreamRelay relay;

  private AttemptPhase phase = AttemptPhase.RESOLVING;
  private int status;

  /** Creates an attempt that accepts an event stream if there is a {@code sink} for it. */
  HttpAttempt(Transport transport, A2aRequest request, @Nullable StreamSink sink) {
    this.transport = transport;
    this.request = request;
    this.relay = sink == null ? null : new StreamRelay(request.target(), sink);
  }

  /**
   * Runs the attempt; throws a programming error found before the request is sent, or of a sink.
   */
  AttemptResult run() {
    AttemptResult end = exchanged();
    return relay == null ? end : relay.end(end);
  }

  AttemptPhase phase() {
    return phase;
  }

  /** Returns what passes an event stream on; null if none is accepted. */
  @Nullable StreamRelay relay() {
    return relay;
  }

  Deadline deadline() {
    return request.deadline();
  }

  ResponseMemoryAllocation space() {
    return request.space();
  }

  private AttemptResult exchanged() {
    try {
      return exchange();
    } catch (MalformedResponseException e) {
      return AttemptResult.malformed(status, e.reason());
    } catch (IOException e) {
      return failed(e);
    } catch (RuntimeException e) {
      if (!phase.mayHaveArrived() || (relay != null && relay.hasBegun())) {
        throw e;
      }
      return unreadable(e);
    }
  }

  private AttemptResult failed(IOException e) {
    if (Thread.currentThread().isInterrupted()) {
      return new AttemptResult.Failed(Failure.of(FailureKind.INTERRUPTED, phase));
    }
    if (isAboutTheBody(e, phase)) {
      return AttemptResult.malformed(status, "the body is not one of HTTP");
    }
    return new AttemptResult.Failed(
        deadline().isOver() ? Failure.of(phase.whenTooLong(), phase) : Failure.of(e, phase));
  }

  /** Returns whether the body violates HTTP; false for a truncated one, which a retry may fix. */
  private static boolean isAboutTheBody(IOException e, AttemptPhase phase) {
    return phase.compareTo(AttemptPhase.READING) >= 0
        && e instanceof ProtocolException
        && !ENDED_TOO_EARLY.equals(e.getMessage());
  }

  /**
   * Treats a response on which OkHttp throws as malformed, because the request was already sent.
   */
  private AttemptResult unreadable(RuntimeException e) {
    log.debug("the answer of {} cannot be read", request.target(), e);
    return AttemptResult.malformed(status, "it cannot be read");
  }

  private AttemptResult exchange() throws IOException {
    transport.requireAllowed(request.url());
    HttpUrl url = HttpUrl.parse(request.url());
    if (url == null) {
      return new AttemptResult.Failed(Failure.of(FailureKind.BAD_URL, phase));
    }
    Call call = transport.call(url, request, relay != null, this);
    try (Response response = call.execute()) {
      return read(response, call);
    }
  }

  private AttemptResult read(Response response, Call running) throws IOException {
    try {
      return new ResponseReader(status, response, running, this).read();
    } catch (IOException | RuntimeException e) {
      running.cancel(); // first, since closing the response reads on
      throw e;
    }
  }

  /** Sends the request on an established connection, unless the call was cancelled before. */
  Response send(Interceptor.Chain chain) throws IOException {
    if (chain.call().isCanceled()) {
      throw new IOException("cancelled before the request was sent");
    }
    phase = AttemptPhase.SENDING;
    Response response = chain.proceed(chain.request());
    status = response.code();
    ResponseReader.requireLength(response.headers("Content-Length"));
    return response.isSuccessful() ? response : response.newBuilder().code(INERT_STATUS).build();
  }

  void reach(AttemptPhase next) {
    phase = next;
  }

  @Override
  public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
    reach(AttemptPhase.CONNECTING);
  }

  @Override
  public void secureConnectStart(Call call) {
    reach(AttemptPhase.SECURING);
  }

  /** OkHttp has no event for the start of the wait for a response; this one is closest. */
  @Override
  public void requestBodyEnd(Call call, long byteCount) {
    reach(AttemptPhase.AWAITING);
  }

  @Override
  public void responseHeadersEnd(Call call, Response response) {
    reach(AttemptPhase.READING);
  }
}
