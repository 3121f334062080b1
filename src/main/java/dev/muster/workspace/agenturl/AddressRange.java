package dev.muster.workspace.agenturl;

import java.net.InetAddress;

/**
 * Holds a block of addresses, IPv4 ({@code 10.0.0.0/8}) or IPv6.
 *
 * @param prefixBits of the 128-bit {@link IpKey}, from 1 to 128; an IPv4 prefix plus 96
 */
record AddressRange(IpKey first, int prefixBits) {

  AddressRange {
    if (prefixBits < 1 || prefixBits > 128) {
      throw new IllegalArgumentException("prefix bits: " + prefixBits + " (expected: 1..128)");
    }
  }

  static AddressRange parse(String cidr) {
    int slash = cidr.indexOf('/');
    IpKey first = IpKey.of(InetAddress.ofLiteral(cidr.substring(0, slash)));
    int bits = Integer.parseInt(cidr.substring(slash + 1));
    return new AddressRange(first, first.isV4() ? 96 + bits : bits);
  }

  boolean contains(IpKey address) {
    return ((address.high() ^ first.high()) & ones(Math.min(prefixBits, 64))) == 0
        && ((address.low() ^ first.low()) & ones(Math.max(prefixBits - 64, 0))) == 0;
  }

  private static long ones(int count) {
    return count == 0 ? 0 : -1L << (64 - count);
  }
}
