package dev.muster.protocol.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Decides which targets a request may use; called before each attempt (R3.3).
 *
 * <p>Both methods are needed, because a host that is an IP address is not resolved.
 */
public interface TargetGuard {

  /** Allows every target, for a sender that chooses its own targets. */
  TargetGuard NONE =
      new TargetGuard() {
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

  /**
   * Thrown when an {@link TargetGuard} forbids a URL.
   *
   * <p>It extends {@link UnknownHostException}, the only exception with which a name lookup can
   * refuse a host. It holds a label, never a name or an address.
   */
  public static final class TargetNotAllowedException extends UnknownHostException {
    private static final long serialVersionUID = 1L;

    private final String label;

    /**
     * Creates the exception; {@code label} is a stable word for the reason, such as {@code
     * loopback}.
     */
    public TargetNotAllowedException(String label) {
      super("target not allowed: " + label);
      this.label = label;
    }

    public String label() {
      return label;
    }
  }
}
