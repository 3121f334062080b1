package dev.muster.protocol.client;

import dev.muster.protocol.client.AttemptStep.AttemptResult;
import dev.muster.protocol.client.Failure.AttemptPhase;
import dev.muster.protocol.client.ResponseReader.MalformedResponseException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one attempt on its own virtual thread, so that the sender can abandon it.
 *
 * <p>No timeout of its own limits a name lookup or a response that arrives slowly.
 *
 * <p>An abandoned attempt sends nothing more, so it is then settled whether the peer may have
 * received a byte.
 */
final class HttpAttempt extends EventListener {

  /** Maximum number of stream steps that wait for a slow sink. */
  private static final int MAX_WAITING_STEPS = 8;

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
  private final boolean streaming;
  private final BlockingQueue<AttemptStep> steps = new LinkedBlockingQueue<>(MAX_WAITING_STEPS);
  private final Thread thread = Thread.ofVirtual().name("a2a-attempt").unstarted(this::run);

  private volatile int status;

  // guarded by this
  private AttemptPhase phase = AttemptPhase.RESOLVING;
  private boolean abandoned;
  private @Nullable Call call;

  private HttpAttempt(Transport transport, A2aRequest request, boolean streaming) {
    this.transport = transport;
    this.request = request;
    this.streaming = streaming;
  }

  /** Starts an attempt; {@code streaming} is whether an event stream is accepted. */
  static HttpAttempt start(Transport transport, A2aRequest request, boolean streaming) {
    HttpAttempt attempt = new HttpAttempt(transport, request, streaming);
    attempt.thread.start();
    return attempt;
  }

  /** Returns the next step; null when there is none within {@code limit}. */
  @Nullable AttemptStep next(Duration limit) throws InterruptedException {
    return steps.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Cancels the attempt without waiting; returns its final phase. */
  AttemptPhase abandon() {
    Call running;
    synchronized (this) {
      abandoned = true;
      running = call;
    }
    if (running != null) {
      running.cancel();
    }
    thread.interrupt();
    return phase();
  }

  synchronized AttemptPhase phase() {
    return phase;
  }

  boolean isStreaming() {
    return streaming;
  }

  Deadline deadline() {
    return request.deadline();
  }

  ResponseMemoryAllocation space() {
    return request.space();
  }

  /** Passes a step to the sender; blocks while the queue is full. */
  void pass(AttemptStep step) throws InterruptedIOException {
    try {
      steps.put(step);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private void run() {
    AttemptStep last = last();
    try {
      pass(last);
    } catch (InterruptedIOException abandoned) {
      // the sender has abandoned this attempt
    }
  }

  private AttemptStep last() {
    try {
      return new AttemptStep.Ended(exchange());
    } catch (MalformedResponseException e) {
      return new AttemptStep.Ended(AttemptResult.malformed(status, e.reason()));
    } catch (IOException e) {
      return new AttemptStep.Ended(
          isAboutTheBody(e, phase())
              ? AttemptResult.malformed(status, "the body is not one of HTTP")
              : new AttemptResult.Failed(Failure.of(e, phase())));
    } catch (RuntimeException e) {
      return phase().mayHaveArrived() ? unreadable(e) : new AttemptStep.Crashed(e);
    } catch (Throwable bug) {
      return new AttemptStep.Crashed(bug);
    }
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
  private AttemptStep unreadable(RuntimeException e) {
    log.debug("the answer of {} cannot be read", request.target(), e);
    return new AttemptStep.Ended(AttemptResult.malformed(status, "it cannot be read"));
  }

  private AttemptResult exchange() throws IOException {
    transport.requireAllowed(request.url());
    HttpUrl url = HttpUrl.parse(request.url());
    if (url == null) {
      return new AttemptResult.Failed(Failure.of(FailureKind.BAD_URL, phase()));
    }
    Call started = started(transport.call(url, request, streaming, this));
    try (Response response = started.execute()) {
      return read(response, started);
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

  private synchronized Call started(Call fresh) throws IOException {
    requireWanted();
    call = fresh;
    return fresh;
  }

  /** Sends the request on an established connection, unless the attempt was abandoned before. */
  Response send(Interceptor.Chain chain) throws IOException {
    synchronized (this) {
      requireWanted();
      phase = AttemptPhase.SENDING;
    }
    Response response = chain.proceed(chain.request());
    status = response.code();
    ResponseReader.requireLength(response.headers("Content-Length"));
    return response.isSuccessful() ? response : response.newBuilder().code(INERT_STATUS).build();
  }

  private void requireWanted() throws IOException {
    if (abandoned) {
      throw new IOException("left behind");
    }
  }

  synchronized void reach(AttemptPhase next) {
    if (!abandoned) {
      phase = next;
    }
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
