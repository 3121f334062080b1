package dev.muster.workspace.agenturl;

import java.net.UnknownHostException;

/**
 * A name that resolves, when it is dialled, to an address of a forbidden class (R3.3, R7.6).
 *
 * <p>An {@link UnknownHostException}, since that is the one refusal an HTTP client's name lookup
 * may give. The message holds the label, never the name or the address.
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
