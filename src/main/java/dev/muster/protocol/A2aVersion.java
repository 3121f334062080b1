package dev.muster.protocol;

import org.jspecify.annotations.Nullable;

/** The versions of A2A that messages to agents can have. */
public enum A2aVersion {
  V0_3("0.3"),
  V1_0("1.0");

  /** The header by which a request names its version. */
  public static final String HEADER = "A2A-Version";

  private final String wire;

  A2aVersion(String wire) {
    this.wire = wire;
  }

  /** Returns the text on the wire: {@code 0.3} or {@code 1.0}. */
  public String wire() {
    return wire;
  }

  /**
   * Returns the version for an agent whose card names {@code protocolVersion}: 1.0 for each {@code
   * 1.x}, and 0.3 for all others.
   */
  public static A2aVersion of(String protocolVersion) {
    String text = protocolVersion.strip();
    return text.equals("1") || text.startsWith("1.") ? V1_0 : V0_3;
  }

  /**
   * Returns the version of a request: 1.0 if its method has a name of 1.0, or its header says so.
   *
   * @param header the value of {@code A2A-Version}; null without one
   */
  public static A2aVersion ofRequest(String method, @Nullable String header) {
    boolean isNamedSo =
        A2aMethod.of(method).map(one -> one.name(V1_0).equals(method)).orElse(false);
    return isNamedSo ? V1_0 : of(header == null ? "" : header);
  }
}
