package dev.muster.live;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the events of its sources to one client's sink.
 *
 * <p>The stream keeps no queue. At each wake-up one thread reads on from the position of each
 * source and sends. So a slow client costs no memory. It still receives every recorded and live
 * event, and the latest of the last values. The stream closes when the client accepts nothing for
 * {@link #timeout}, or falls behind the buffer of live events. It never skips a live event.
 */
final class EventStream {

  private static final Logger log = LoggerFactory.getLogger(EventStream.class);

  /** How long a client may accept nothing once the stream is to end. */
  private static final Duration END_TIMEOUT = Duration.ofSeconds(2);

  /**
   * The most characters of one send. {@link #timeout} applies to each send. Without this limit a
   * client on a slow connection would exceed it with one large batch.
   */
  private static final int CHARACTERS_IN_A_PORTION = 64 * 1024;

  private static final int IDLE = 0;
  private static final int SERVED = 1;
  private static final int WANTED_AGAIN = 2;

  /** A send that returns when the client's side has accepted the data. */
  private interface Sending {

    void run() throws IOException;
  }

  private final StreamSubscriber subscriber;
  private final Sink sink;
  private final List<Source> sources;
  private final Executor threads;
  private final Duration timeout;
  private final BiConsumer<EventStream, StreamEnd> onClosed;
  private final long openedAt = System.nanoTime();
  private final AtomicInteger state = new AtomicInteger(IDLE);

  /** Accessed only by the serving thread once {@code started} is set; so is {@code closed}. */
  private List<Frame> greeting = List.of();

  private boolean closed;

  /** Accessed only by the {@code streams} loop and, once that is closed, by the shutdown. */
  private boolean aborted;

  private volatile boolean started;
  private volatile boolean sending;
  private volatile long sendingSince;
  private volatile boolean held;
  private volatile boolean pingDue;
  private volatile @Nullable StreamEnd end;

  EventStream(
      StreamSubscriber subscriber,
      Sink sink,
      List<Source> sources,
      Executor threads,
      Duration timeout,
      BiConsumer<EventStream, StreamEnd> onClosed) {
    this.subscriber = subscriber;
    this.sink = sink;
    this.sources = sources;
    this.threads = threads;
    this.timeout = timeout;
    this.onClosed = onClosed;
  }

  /** Starts sending, once the sink accepts frames; {@code first} precede all others. */
  void start(List<Frame> first) {
    greeting = first;
    started = true;
    wake();
  }

  /** Lets a thread serve the stream, because a source may have frames to send. */
  void wake() {
    if (state.getAndUpdate(was -> was == IDLE ? SERVED : WANTED_AGAIN) == IDLE) {
      threads.execute(this::serve);
    }
  }

  /** Renews the allowance of last values. Ends or aborts a stream whose client does not read. */
  void tick() {
    sources.forEach(Source::tick);
    if (!started && System.nanoTime() - openedAt > timeout.toNanos()) {
      end(StreamEnd.GONE);
    }
    Duration allowed = end == null ? timeout : END_TIMEOUT;
    if (sending && System.nanoTime() - sendingSince > allowed.toNanos()) {
      abort(StreamEnd.SLOW);
    }
    if (sources.stream().anyMatch(Source::isOverrun)) {
      end(StreamEnd.SLOW);
    } else if (sources.stream().anyMatch(Source::hasMore)) {
      wake();
    }
  }

  void recheckCredential() {
    switch (subscriber.recheck().check()) {
      case VALID -> held = false;
      case UNKNOWN -> held = true;
      case REVOKED -> end(StreamEnd.REVOKED);
    }
  }

  void ping() {
    if (!started || sink.isResponsive()) {
      pingDue = true;
      wake();
    } else {
      end(StreamEnd.SLOW);
    }
  }

  /** Ends the stream; a later call does not change the reason. */
  void end(StreamEnd reason) {
    if (end == null) {
      end = reason;
    }
    wake();
  }

  /** Ends the stream even while a send is blocked by the client. */
  void abort(StreamEnd reason) {
    StreamEnd first = end == null ? reason : end;
    end = first;
    if (!aborted) {
      aborted = true;
      sink.abort(first);
      onClosed.accept(this, first);
    }
  }

  private void serve() {
    do {
      state.set(SERVED);
      try {
        sendWhatThereIs();
      } catch (IOException e) {
        end = end == null ? StreamEnd.GONE : end;
      } catch (RuntimeException e) {
        // mostly a database failure: the positions are unchanged, so the next tick retries
        log.debug("a stream could not continue", e);
      } catch (Error e) {
        log.error("a stream failed", e);
        end = end == null ? StreamEnd.GONE : end;
      }
      closeIfEnded();
    } while (!state.compareAndSet(SERVED, IDLE));
  }

  private void sendWhatThereIs() throws IOException {
    if (!started) {
      return;
    }
    send(greeting);
    greeting = List.of();
    boolean moved;
    do {
      pingIfDue();
      moved = false;
      for (Source source : sources) {
        moved |= sendNextOf(source);
      }
    } while (moved);
  }

  private void pingIfDue() throws IOException {
    if (pingDue && end == null) {
      pingDue = false;
      timed(sink::ping);
    }
  }

  /** Sends the source's next frames; returns whether its position advanced. */
  private boolean sendNextOf(Source source) throws IOException {
    if (end != null || held) {
      return false;
    }
    Optional<List<Frame>> next = source.next();
    send(next.orElse(List.of()));
    return next.isPresent();
  }

  /** Sends the frames in portions; {@link #timeout} applies to each portion separately. */
  private void send(List<Frame> frames) throws IOException {
    List<Frame> portion = new ArrayList<>();
    int characters = 0;
    for (Frame frame : frames) {
      portion.add(frame);
      characters += frame.size();
      if (characters >= CHARACTERS_IN_A_PORTION) {
        sendPortion(portion);
        portion = new ArrayList<>();
        characters = 0;
        pingIfDue();
      }
    }
    if (!portion.isEmpty()) {
      sendPortion(portion);
    }
  }

  private void sendPortion(List<Frame> portion) throws IOException {
    timed(() -> sink.send(portion));
  }

  /** Runs a send, so that {@link #tick} sees how long it has been blocked. */
  private void timed(Sending work) throws IOException {
    sendingSince = System.nanoTime();
    sending = true;
    try {
      work.run();
    } catch (RuntimeException e) {
      // what the client received is unknown; it reports its position when it reconnects
      throw new IOException("a stream cannot be written to", e);
    } finally {
      sending = false;
    }
  }

  private void closeIfEnded() {
    @Nullable StreamEnd reason = end;
    if (reason != null && !closed) {
      closed = true;
      sink.close(reason);
      onClosed.accept(this, reason);
    }
  }
}
