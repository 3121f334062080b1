package dev.muster.platform.http;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * Where a request without a good credential comes from: an IPv4 address, or the /64 of an IPv6 one,
 * which is what a single customer is given at least.
 */
public record RemoteNetwork(boolean v4, long bits) {

  static final RemoteNetwork UNKNOWN = new RemoteNetwork(false, 0);

  /** {@code address} as the connection gives it: a literal, in brackets or not. */
  public static RemoteNetwork of(String address) {
    try {
      String literal =
          address.startsWith("[") ? address.substring(1, address.length() - 1) : address;
      int scope = literal.indexOf('%');
      return of(InetAddress.ofLiteral(scope < 0 ? literal : literal.substring(0, scope)));
    } catch (IllegalArgumentException notAnAddress) {
      return UNKNOWN;
    }
  }

  /** An IPv4 address mapped into IPv6 is an {@link Inet4Address} already. */
  private static RemoteNetwork of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet4Address
        ? new RemoteNetwork(true, bytes.getInt())
        : new RemoteNetwork(false, bytes.getLong());
  }
}
