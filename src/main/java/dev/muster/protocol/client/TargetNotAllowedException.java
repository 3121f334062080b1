package dev.muster.protocol.client;

import java.net.UnknownHostException;

/**
 * A url that an {@link AddressGuard} does not let through.
 *
 * <p>An {@link UnknownHostException}, since that is the one refusal an HTTP client's name lookup
 * may give. It holds a label, never a name or an address.
 */
public final class TargetNotAllowedException extends UnknownHostException {
  private static final long serialVersionUID = 1L;

  private final String label;

  /** {@code label} is a stable word for the reason, such as {@code loopback}. */
  public TargetNotAllowedException(String label) {
    super("target not allowed: " + label);
    this.label = label;
  }

  public String label() {
    return label;
  }
}
