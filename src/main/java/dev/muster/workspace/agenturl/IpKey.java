package dev.muster.workspace.agenturl;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * Holds an IP address as one 128-bit number, IPv4 in IPv4-mapped form (RFC 4291, 2.5.5.2).
 *
 * <p>So an IPv4 address has one key in all its forms: plain, mapped, or behind the well-known NAT64
 * prefix (RFC 6052), which the network translates back to IPv4.
 */
record IpKey(long high, long low) {
  private static final long MAPPED = 0x0000_ffffL << 32;
  private static final long NAT64_HIGH = 0x0064_ff9b_0000_0000L;
  private static final long V4_BITS = 0xffff_ffffL;

  static IpKey of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    if (address instanceof Inet4Address) {
      return ofV4(bytes.getInt());
    }
    IpKey key = new IpKey(bytes.getLong(), bytes.getLong());
    boolean nat64 = key.high == NAT64_HIGH && key.low >>> 32 == 0;
    return nat64 ? ofV4((int) key.low) : key;
  }

  private static IpKey ofV4(int bits) {
    return new IpKey(0, MAPPED | (bits & V4_BITS));
  }

  boolean isV4() {
    return high == 0 && (low & ~V4_BITS) == MAPPED;
  }

  /** Whether this is an ISATAP interface id (RFC 5214): {@code ::[2]00:5efe:a.b.c.d} in any /64. */
  boolean isIsatap() {
    return (low >>> 32 & ~0x0200_0000L) == 0x0000_5efeL;
  }

  /** Whether IANA allocates unicast addresses from here: all of IPv4, and 2000::/3 of IPv6. */
  boolean isAllocated() {
    return isV4() || high >>> 61 == 1;
  }
}
