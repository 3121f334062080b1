package dev.muster.protocol.client;

import dev.muster.protocol.client.ResponseRate.ResponseTooSlowException;
import dev.muster.protocol.client.TargetGuard.TargetNotAllowedException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Classifies why an attempt got no response; all failures pass through here.
 *
 * @param detail a fixed clause, because exception messages contain addresses
 * @param mayHaveArrived false when no byte of the request was written
 */
record Failure(FailureKind kind, String detail, boolean mayHaveArrived) {

  static Failure of(FailureKind kind, AttemptPhase phase) {
    return new Failure(kind, kind.usualDetail(), phase.mayHaveArrived());
  }

  /** Classifies the exception of an attempt in this phase. */
  static Failure of(IOException e, AttemptPhase phase) {
    Optional<TargetNotAllowedException> refusal = find(e, TargetNotAllowedException.class);
    if (refusal.isPresent()) {
      return new Failure(FailureKind.NOT_ALLOWED, refusal.get().label(), phase.mayHaveArrived());
    }
    if (has(e, ResponseTooSlowException.class)) {
      return of(FailureKind.ANSWER_TOO_SLOW, phase);
    }
    if (isAboutTls(e)) {
      return new Failure(FailureKind.TLS, tlsDetail(e), phase.mayHaveArrived());
    }
    if (phase == AttemptPhase.AWAITING && has(e, ProtocolException.class)) {
      return new Failure(FailureKind.READ_ERROR, "the response is not HTTP", true);
    }
    return of(kind(e, phase), phase);
  }

  private static FailureKind kind(IOException e, AttemptPhase phase) {
    if (has(e, UnknownHostException.class)) {
      return FailureKind.UNKNOWN_HOST;
    }
    if (has(e, InterruptedIOException.class)) { // among them SocketTimeoutException
      return phase.whenTooLong();
    }
    if (has(e, ConnectException.class)) {
      return connectKind(e);
    }
    if (says(e, "reset")) {
      return FailureKind.CONNECTION_RESET;
    }
    if (says(e, "broken pipe")) {
      return FailureKind.WRITE_ERROR;
    }
    return switch (phase) {
      case RESOLVING, CONNECTING -> FailureKind.CONNECT_ERROR;
      case SENDING -> FailureKind.WRITE_ERROR;
      case SECURING, AWAITING ->
          has(e, EOFException.class) ? FailureKind.CLOSED_WITHOUT_RESPONSE : FailureKind.READ_ERROR;
      case READING, WAITING_FOR_MEMORY -> FailureKind.READ_ERROR;
    };
  }

  private static FailureKind connectKind(IOException e) {
    if (says(e, "refused")) {
      return FailureKind.CONNECT_REFUSED;
    }
    return says(e, "timed out") ? FailureKind.CONNECT_TIMEOUT : FailureKind.CONNECT_ERROR;
  }

  /** Excludes connection failures, which TLS wraps in its own exceptions. */
  private static boolean isAboutTls(IOException e) {
    return has(e, SSLException.class)
        && !has(e, SocketException.class)
        && !has(e, EOFException.class)
        && !has(e, InterruptedIOException.class);
  }

  private static String tlsDetail(IOException e) {
    if (has(e, SSLPeerUnverifiedException.class)) {
      return "the certificate is not of this host";
    }
    return has(e, CertificateException.class)
        ? "the certificate is not trusted"
        : "the handshake failed";
  }

  private static boolean says(IOException e, String word) {
    return causes(e)
        .filter(SocketException.class::isInstance)
        .map(cause -> Objects.requireNonNullElse(cause.getMessage(), ""))
        .anyMatch(message -> message.toLowerCase(Locale.ROOT).contains(word));
  }

  private static boolean has(IOException e, Class<? extends Throwable> type) {
    return find(e, type).isPresent();
  }

  private static <T extends Throwable> Optional<T> find(IOException e, Class<T> type) {
    return causes(e).filter(type::isInstance).map(type::cast).findFirst();
  }

  private static Stream<Throwable> causes(IOException e) {
    return Stream.<Throwable>iterate(e, Objects::nonNull, Throwable::getCause).limit(20);
  }

  /** The progress of an attempt; the order of the constants matters. */
  enum AttemptPhase {
    RESOLVING(FailureKind.UNKNOWN_HOST),
    CONNECTING(FailureKind.CONNECT_TIMEOUT),
    SECURING(FailureKind.CONNECT_TIMEOUT),
    /** The first phase in which the peer may receive a byte of the request. */
    SENDING(FailureKind.WRITE_TIMEOUT),
    AWAITING(FailureKind.READ_TIMEOUT),
    READING(FailureKind.READ_TIMEOUT),
    /** Reading is paused, because other responses use all the memory. */
    WAITING_FOR_MEMORY(FailureKind.NO_MEMORY);

    private final FailureKind whenTooLong;

    AttemptPhase(FailureKind whenTooLong) {
      this.whenTooLong = whenTooLong;
    }

    FailureKind whenTooLong() {
      return whenTooLong;
    }

    boolean mayHaveArrived() {
      return compareTo(SENDING) >= 0;
    }
  }
}
