package dev.muster.protocol;

/** The versions of A2A that messages to agents can have. */
public enum A2aVersion {
  V0_3("0.3"),
  V1_0("1.0");

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
}
