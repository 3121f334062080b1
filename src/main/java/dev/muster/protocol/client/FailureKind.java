package dev.muster.protocol.client;

import java.util.Locale;

/** Why an attempt got no response, and whether another one may fare better (R7.10). */
public enum FailureKind {
  CONNECT_REFUSED("ConnectRefused", true, "nobody listens there"),
  CONNECT_TIMEOUT("ConnectTimeout", true, "no connection in time"),
  CONNECT_ERROR("ConnectError", true, "no way to connect"),
  UNKNOWN_HOST("UnknownHost", true, "the name has no address, or none was found in time"),
  /** Neither peers nor networks say why they reset. */
  CONNECTION_RESET("ConnectionReset", true, ""),
  CLOSED_WITHOUT_RESPONSE("ClosedWithoutResponse", true, "the peer closed the connection"),
  READ_TIMEOUT("ReadTimeout", true, "the peer said nothing in time"),
  WRITE_TIMEOUT("WriteTimeout", true, "the peer took nothing in time"),
  READ_ERROR("ReadError", true, "the response broke off"),
  /** Of ours, not of the peer's. */
  NO_ROOM("NoRoom", true, "the answer came, but other answers left no memory for it in time"),
  ANSWER_TOO_SLOW(
      "AnswerTooSlow",
      false,
      "an answer of more than 256 KiB must bring 256 KiB in every 10 s and all within 120 s"),
  WRITE_ERROR("WriteError", true, "the request could not be sent whole"),
  TLS("Tls", false, "no secure connection"),
  BAD_URL("BadUrl", false, "not a url of http or https"),
  NOT_ALLOWED("NotAllowed", false, "the url must not be called"),
  INTERRUPTED("Interrupted", false, "the sender was told to stop");

  private static final String NO_MESSAGE = " (no message — connection reset or silent timeout)";

  private final String label;
  private final boolean isTransient;
  private final String usualDetail;

  FailureKind(String label, boolean isTransient, String usualDetail) {
    this.label = label;
    this.isTransient = isTransient;
    this.usualDetail = usualDetail;
  }

  /** Its name in texts for people. */
  public String label() {
    return label;
  }

  /** Its name in metrics. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it may pass by itself, so that another attempt makes sense. */
  public boolean isTransient() {
    return isTransient;
  }

  /** What there is to say when nothing more is known; empty where the network gives no reason. */
  String usualDetail() {
    return usualDetail;
  }

  /** Name and detail; never without a word about the reason. */
  String text(String detail) {
    return detail.isEmpty() ? label + NO_MESSAGE : label + ": " + detail;
  }
}
