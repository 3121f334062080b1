package dev.muster.protocol.client;

import java.util.Locale;

/** Why an attempt got no response, and whether a retry can help (R7.10). */
public enum FailureKind {
  CONNECT_REFUSED("ConnectRefused", true, "connection refused"),
  CONNECT_TIMEOUT("ConnectTimeout", true, "no connection in time"),
  CONNECT_ERROR("ConnectError", true, "no way to connect"),
  UNKNOWN_HOST("UnknownHost", true, "the name has no address, or none was found in time"),
  /** Peer and network give no reason for a reset. */
  CONNECTION_RESET("ConnectionReset", true, ""),
  CLOSED_WITHOUT_RESPONSE("ClosedWithoutResponse", true, "the peer closed the connection"),
  READ_TIMEOUT("ReadTimeout", true, "the peer did not answer in time"),
  WRITE_TIMEOUT("WriteTimeout", true, "the peer did not read the request in time"),
  READ_ERROR("ReadError", true, "the response broke off"),
  /** Concerns the sender's memory, not the peer. */
  NO_MEMORY("NoRoom", true, "the answer came, but other answers left no memory for it in time"),
  ANSWER_TOO_SLOW(
      "AnswerTooSlow",
      false,
      "an answer of more than 256 KiB must bring 256 KiB in every 10 s and all within 120 s"),
  WRITE_ERROR("WriteError", true, "the request could not be sent whole"),
  TLS("Tls", false, "no secure connection"),
  BAD_URL("BadUrl", false, "not a url of http or https"),
  NOT_ALLOWED("NotAllowed", false, "the url must not be called"),
  INTERRUPTED("Interrupted", false, "the send was interrupted");

  private static final String NO_MESSAGE = " (no message — connection reset or silent timeout)";

  private final String label;
  private final boolean isTransient;
  private final String usualDetail;

  FailureKind(String label, boolean isTransient, String usualDetail) {
    this.label = label;
    this.isTransient = isTransient;
    this.usualDetail = usualDetail;
  }

  /** Returns the name used in messages. */
  public String label() {
    return label;
  }

  /** Returns the name used in metrics. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether the failure may be temporary, so that a retry makes sense. */
  public boolean isTransient() {
    return isTransient;
  }

  /** Returns the detail used when none is known; empty when the network gives no reason. */
  String usualDetail() {
    return usualDetail;
  }

  /** Returns label and detail; always includes a reason. */
  String text(String detail) {
    return detail.isEmpty() ? label + NO_MESSAGE : label + ": " + detail;
  }
}
