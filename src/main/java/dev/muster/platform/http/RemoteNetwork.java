package dev.muster.platform.http;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * Identifies the network of a request without a valid credential.
 *
 * <p>It is an IPv4 address, or the /64 of an IPv6 address, which is the least that one customer
 * gets.
 */
record RemoteNetwork(boolean v4, long bits) {

  public static final RemoteNetwork UNKNOWN = new RemoteNetwork(false, 0);

  /**
   * Parses the literal address of a connection; {@link #UNKNOWN} if it is not one.
   *
   * @param address with or without brackets and an IPv6 scope
   */
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

  /** Maps an address. Java parses an IPv4-mapped IPv6 address to an {@link Inet4Address}. */
  private static RemoteNetwork of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet4Address
        ? new RemoteNetwork(true, bytes.getInt())
        : new RemoteNetwork(false, bytes.getLong());
  }
}
