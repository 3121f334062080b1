package dev.muster.protocol.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt, on a virtual thread of its own, so that its sender can leave it behind: neither a
 * name lookup nor a slow drip can be given a limit.
 *
 * <p>Once left behind it sends nothing more: whether the peer may have got a byte is then settled.
 */
final class HttpAttempt extends EventListener {

  /** Of a stream, so much may wait for a slow sink. */
  private static final int MAX_WAITING_STEPS = 8;

  /**
   * In place of all that are not 2xx: on some OkHttp acts by itself, such as 503 with {@code
   * Retry-After: 0}, which it sends again, or 407, which it takes for a fault.
   */
  private static final int INERT_STATUS = 400;

  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

  /** The words of OkHttp. */
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

  /** {@code streaming}: whether a stream of events is welcome. */
  static HttpAttempt start(Transport transport, A2aRequest request, boolean streaming) {
    HttpAttempt attempt = new HttpAttempt(transport, request, streaming);
    attempt.thread.start();
    return attempt;
  }

  /** The next thing to know; null when there is none in this time. */
  @Nullable AttemptStep next(Duration limit) throws InterruptedException {
    return steps.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Ends it, without waiting for that; it has come to this phase and comes no further. */
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

  /** Hands a step to the sender, at the sender's pace. */
  void tell(AttemptStep step) throws InterruptedIOException {
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
      tell(last);
    } catch (InterruptedIOException leftBehind) {
      // nobody waits for it
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

  /** A body that ends too early may be whole the next time; one that is no body may not. */
  private static boolean isAboutTheBody(IOException e, AttemptPhase phase) {
    return phase.compareTo(AttemptPhase.READING) >= 0
        && e instanceof ProtocolException
        && !ENDED_TOO_EARLY.equals(e.getMessage());
  }

  /** OkHttp does not expect all that a peer may say: once a request is sent, that is the peer's. */
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

  /** The one gate in front of the first byte, on an established connection. */
  Response send(Interceptor.Chain chain) throws IOException {
    synchronized (this) {
      requireWanted();
      phase = AttemptPhase.SENDING;
    }
    Response response = chain.proceed(chain.request());
    status = response.code();
    requireLength(response.headers("Content-Length"));
    return response.isSuccessful() ? response : response.newBuilder().code(INERT_STATUS).build();
  }

  /** OkHttp takes a number below zero for a length, and a text for none. */
  private static void requireLength(List<String> declared) throws MalformedResponseException {
    for (String length : declared) {
      if (!LENGTH.matcher(length).matches() || !length.equals(declared.getFirst())) {
        throw new MalformedResponseException("its Content-Length is not a number of bytes");
      }
    }
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

  /** There is no event for the moment when the peer's turn begins; this one comes next to it. */
  @Override
  public void requestBodyEnd(Call call, long byteCount) {
    reach(AttemptPhase.AWAITING);
  }

  @Override
  public void responseHeadersEnd(Call call, Response response) {
    reach(AttemptPhase.READING);
  }
}
