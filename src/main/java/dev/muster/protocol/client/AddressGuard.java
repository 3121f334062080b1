package dev.muster.protocol.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Decides which targets a request may use; called before each attempt (R3.3).
 *
 * <p>Both methods are needed, because a host that is an IP address is not resolved.
 */
public interface AddressGuard {

  /** Allows every target, for a sender that chooses its own targets. */
  AddressGuard NONE =
      new AddressGuard() {
        @Override
        public void requireAllowed(String url) {}

        @Override
        public List<InetAddress> resolve(String host) throws UnknownHostException {
          return List.of(InetAddress.getAllByName(host));
        }
      };

  /** Checks the form of a URL, and its host if that is an IP address. */
  void requireAllowed(String url) throws TargetNotAllowedException;

  /**
   * Returns the addresses to connect to.
   *
   * @throws TargetNotAllowedException when one of them is forbidden
   * @throws UnknownHostException when there are none
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;

  /** Resolves a host; lets a guard limit the concurrent lookups of each target. */
  default List<InetAddress> resolve(String host, String target) throws UnknownHostException {
    return resolve(host);
  }
}
