package dev.muster.runtime;

import java.util.OptionalLong;
import java.util.UUID;

/**
 * Makes and parses the ids of events and runs.
 *
 * <p>An id is a UUID of version 8 (RFC 9562), computed from workspace and event number. A run has
 * the id of its first event. An event is thus found by its id without an index of ids.
 */
public final class RuntimeIds {

  private static final long VERSION_BITS = 0xF000L;
  private static final long VERSION_8 = 0x8000L;
  private static final long VARIANT = 1L << 63;
  private static final long NUMBER_BITS = -1L >>> 2;

  private RuntimeIds() {}

  public static UUID of(UUID workspaceId, long seq) {
    return new UUID(streamBits(workspaceId), VARIANT | seq);
  }

  /** Returns the event number; empty when the id is not one of this workspace's stream. */
  static OptionalLong seqIn(UUID workspaceId, UUID id) {
    long seq = id.getLeastSignificantBits() & NUMBER_BITS;
    return of(workspaceId, seq).equals(id) ? OptionalLong.of(seq) : OptionalLong.empty();
  }

  private static long streamBits(UUID workspaceId) {
    long mixed =
        workspaceId.getMostSignificantBits()
            ^ Long.rotateLeft(workspaceId.getLeastSignificantBits(), Integer.SIZE);
    return (mixed & ~VERSION_BITS) | VERSION_8;
  }
}
