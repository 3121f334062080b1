package dev.muster.protocol.client;

import static dev.muster.protocol.client.FailureKind.CLOSED_WITHOUT_RESPONSE;
import static dev.muster.protocol.client.FailureKind.CONNECTION_RESET;
import static dev.muster.protocol.client.FailureKind.CONNECT_ERROR;
import static dev.muster.protocol.client.FailureKind.CONNECT_REFUSED;
import static dev.muster.protocol.client.FailureKind.CONNECT_TIMEOUT;
import static dev.muster.protocol.client.FailureKind.READ_ERROR;
import static dev.muster.protocol.client.FailureKind.READ_TIMEOUT;
import static dev.muster.protocol.client.FailureKind.UNKNOWN_HOST;
import static dev.muster.protocol.client.FailureKind.WRITE_ERROR;

import dev.muster.testing.FreePorts;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.SaturatedListener;
import dev.muster.testing.TestPeer;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A fault between two processes, and the error that the client must report. */
enum Fault {
  REFUSED(null, Arrival.NONE, CONNECT_REFUSED),
  NO_CONNECTION(null, Arrival.NONE, CONNECT_TIMEOUT),
  NO_SUCH_NAME(null, Arrival.NONE, UNKNOWN_HOST),
  // which of these the client meets is a matter of microseconds
  CLOSED_AT_ONCE(
      PeerBehavior.closeAtOnce(),
      Arrival.UNCERTAIN,
      CONNECT_ERROR,
      CLOSED_WITHOUT_RESPONSE,
      CONNECTION_RESET,
      WRITE_ERROR),
  RESET_AT_ONCE(
      PeerBehavior.resetAtOnce(),
      Arrival.UNCERTAIN,
      CONNECT_ERROR,
      CONNECTION_RESET,
      WRITE_ERROR,
      CLOSED_WITHOUT_RESPONSE),
  RESET_DURING_REQUEST(
      PeerBehavior.resetDuringRequest(), Arrival.PART, CONNECTION_RESET, WRITE_ERROR),
  RESET_AFTER_REQUEST(PeerBehavior.resetAfterRequest(), Arrival.WHOLE, CONNECTION_RESET),
  CLOSED_AFTER_REQUEST(PeerBehavior.closeAfterRequest(), Arrival.WHOLE, CLOSED_WITHOUT_RESPONSE),
  HALF_HEAD(PeerBehavior.halfHead(), Arrival.WHOLE, CLOSED_WITHOUT_RESPONSE),
  HALF_BODY(PeerBehavior.halfBody(), Arrival.WHOLE, READ_ERROR),
  GARBAGE(PeerBehavior.garbage(), Arrival.WHOLE, READ_ERROR),
  SILENCE(PeerBehavior.silence(), Arrival.WHOLE, READ_TIMEOUT);

  /** Whether an attempt ends by its time limit. */
  boolean takesAllTime() {
    return this == NO_CONNECTION || this == SILENCE;
  }

  /** How much of the request the peer gets with each attempt. */
  enum Arrival {
    NONE,
    /** The connection may be closed before the first byte is written. */
    UNCERTAIN,
    PART,
    WHOLE
  }

  /** The address of the fault; closing it ends the fault. */
  record Place(String url, @Nullable TestPeer peer, Closeable owner) implements Closeable {
    @Override
    public void close() throws IOException {
      owner.close();
    }
  }

  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  private final @Nullable PeerBehavior behavior;

  private final Arrival arrival;

  @SuppressWarnings("ImmutableEnumChecker") // not shared
  private final Set<FailureKind> kinds;

  Fault(@Nullable PeerBehavior behavior, Arrival arrival, FailureKind... kinds) {
    this.behavior = behavior;
    this.arrival = arrival;
    this.kinds = EnumSet.copyOf(Arrays.asList(kinds));
  }

  Place occur() throws IOException {
    if (behavior != null) {
      TestPeer peer = TestPeer.start().usually(behavior);
      return new Place(peer.url(), peer, peer::close);
    }
    return switch (this) {
      case NO_CONNECTION -> {
        SaturatedListener full = new SaturatedListener();
        yield new Place(full.url(), null, full::close);
      }
      case NO_SUCH_NAME -> new Place("http://nowhere.invalid/a2a", null, () -> {});
      default -> new Place("http://127.0.0.1:" + FreePorts.next() + "/a2a", null, () -> {});
    };
  }

  boolean is(FailureKind kind) {
    return kinds.contains(kind);
  }

  boolean mayArrive() {
    return arrival != Arrival.NONE;
  }

  boolean isCertain() {
    return arrival != Arrival.UNCERTAIN;
  }

  boolean arrivesWhole() {
    return arrival == Arrival.WHOLE;
  }
}
