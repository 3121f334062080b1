package dev.muster.workspace.agenturl;

import java.net.UnknownHostException;

/**
 * Reports that a dialled name resolves to an address of a forbidden class (R3.3, R7.6).
 *
 * <p>It extends {@link UnknownHostException}, since an HTTP client's name look-up may throw no
 * other. The message holds the label, never the name or the address.
 */
public final class AddressNotAllowedException extends UnknownHostException {
  private static final long serialVersionUID = 1L;

  private final AddressClass addressClass;

  AddressNotAllowedException(AddressClass addressClass) {
    super("agent url not allowed: " + addressClass.label());
    this.addressClass = addressClass;
  }

  public AddressClass addressClass() {
    return addressClass;
  }
}
