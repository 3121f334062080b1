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
 * One client's stream: its sources, each with a place in it, and a sink.
 *
 * <p>It keeps no queue. Whenever there may be something to send, one thread at a time reads on from
 * its places and sends; so a slow client costs no memory, gets every event, and of the values the
 * latest. A client that takes nothing for {@link #TIMEOUT}, or is overrun by the live events, is
 * closed, never skipped.
 */
final class EventStream {

  private static final Logger log = LoggerFactory.getLogger(EventStream.class);

  static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Once it is to end, a client that takes nothing is not waited for as long. */
  private static final Duration END_TIMEOUT = Duration.ofSeconds(2);

  /** Without it a thin line would look like a stand-still. */
  private static final int CHARACTERS_IN_A_PORTION = 64 * 1024;

  private static final int IDLE = 0;
  private static final int SERVED = 1;
  private static final int WANTED_AGAIN = 2;

  private final StreamSubscriber subscriber;
  private final Sink sink;
  private final Sources sources;
  private final Executor threads;
  private final BiConsumer<EventStream, StreamEnd> onClosed;
  private final long openedAt = System.nanoTime();
  private final SendTimeout sending = new SendTimeout();
  private final AtomicInteger state = new AtomicInteger(IDLE);

  /** Written by the thread that serves alone, as the next one. */
  private List<Frame> greeting = List.of();

  private boolean closed;

  /** Of the thread that looks after all streams. */
  private boolean aborted;

  private volatile boolean started;
  private volatile boolean held;
  private volatile boolean pingDue;
  private volatile @Nullable StreamEnd end;

  EventStream(
      StreamSubscriber subscriber,
      Sink sink,
      Sources sources,
      Executor threads,
      BiConsumer<EventStream, StreamEnd> onClosed) {
    this.subscriber = subscriber;
    this.sink = sink;
    this.sources = sources;
    this.threads = threads;
    this.onClosed = onClosed;
  }

  /** The sink can take frames; {@code first} go before all others. */
  void start(List<Frame> first) {
    greeting = first;
    started = true;
    wake();
  }

  /** There may be something to send. */
  void wake() {
    if (state.getAndUpdate(was -> was == IDLE ? SERVED : WANTED_AGAIN) == IDLE) {
      threads.execute(this::serve);
    }
  }

  /** More values may be sent, and a client that has stopped reading is noticed. */
  void tick() {
    sources.values().tick();
    if (!started && System.nanoTime() - openedAt > TIMEOUT.toNanos()) {
      end(StreamEnd.GONE);
    }
    Duration timeout = end == null ? TIMEOUT : END_TIMEOUT;
    if (sending.isStuckFor(timeout)) {
      abort(StreamEnd.SLOW);
    }
    if (sources.live().isOverrun()) {
      end(StreamEnd.SLOW);
    } else if (sources.haveMore()) {
      wake();
    }
  }

  void checkStanding() {
    switch (subscriber.standing().check()) {
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

  /** The first reason counts. */
  void end(StreamEnd reason) {
    if (end == null) {
      end = reason;
    }
    wake();
  }

  /** Ends it although it is in the middle of a frame that the client does not take. */
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
        // the database, as a rule: the places stand still and the next tick tries again
        log.debug("a stream could not go on", e);
      } catch (Error e) {
        log.error("a stream met a fault", e);
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
      moved = sendNextOf(sources.recorded());
      moved |= sendNextOf(sources.live());
      sendNextOf(sources.values());
    } while (moved);
  }

  private void pingIfDue() throws IOException {
    if (pingDue && end == null) {
      pingDue = false;
      sending.watch(sink::ping);
    }
  }

  /** Whether there was something. */
  private boolean sendNextOf(Source source) throws IOException {
    if (end != null || held) {
      return false;
    }
    Optional<List<Frame>> next = source.next();
    send(next.orElse(List.of()));
    return next.isPresent();
  }

  /** In portions, each with the whole patience. */
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
    sending.watch(() -> sink.send(portion));
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
