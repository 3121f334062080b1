package dev.muster.protocol.client;

import java.net.UnknownHostException;

/**
 * Thrown when an {@link AddressGuard} forbids a URL.
 *
 * <p>It extends {@link UnknownHostException}, the only exception with which a name lookup can
 * refuse a host. It holds a label, never a name or an address.
 */
public final class TargetNotAllowedException extends UnknownHostException {
  private static final long serialVersionUID = 1L;

  private final String label;

  /**
   * Creates the exception; {@code label} is a stable word for the reason, such as {@code loopback}.
   */
  public TargetNotAllowedException(String label) {
    super("target not allowed: " + label);
    this.label = label;
  }

  public String label() {
    return label;
  }
}
