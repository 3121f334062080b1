package dev.muster.protocol.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Decides where requests may go; asked before each attempt (R3.3).
 *
 * <p>Both questions are needed: nobody resolves a host that is an address already.
 */
public interface AddressGuard {

  /** Lets everything through, for a sender that chooses its targets itself. */
  AddressGuard NONE =
      new AddressGuard() {
        @Override
        public void requireAllowed(String url) {}

        @Override
        public List<InetAddress> resolve(String host) throws UnknownHostException {
          return List.of(InetAddress.getAllByName(host));
        }
      };

  /** The form of a url, and its host if that is an address. */
  void requireAllowed(String url) throws TargetNotAllowedException;

  /**
   * The addresses to connect to.
   *
   * @throws TargetNotAllowedException when one of them is forbidden
   * @throws UnknownHostException when there are none
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;

  /** The same, for a guard that gives each target a share of its look-ups. */
  default List<InetAddress> resolve(String host, String target) throws UnknownHostException {
    return resolve(host);
  }
}
