package dev.muster.protocol.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import okhttp3.Dns;

/** Requests of the tests. */
final class Requests {

  static final String TARGET = "agent-7";
  static final String BODY =
      """
      {"jsonrpc":"2.0","id":"r-1","method":"message/send","params":{"message":{"kind":"message",\
      "role":"user","messageId":"m-1","parts":[{"kind":"text","text":"grüß dich"}]}}}\
      """;

  private Requests() {}

  static byte[] body() {
    return BODY.getBytes(StandardCharsets.UTF_8);
  }

  /** A request with the default times. */
  static A2aRequest to(String url) {
    return to(url, Duration.ofMinutes(5), Deadline.in(Duration.ofMinutes(10)));
  }

  static A2aRequest to(String url, Duration readTimeout, Deadline deadline) {
    return new A2aRequest(TARGET, url, body(), Map.of(), readTimeout, deadline);
  }

  /** A request with this total time. */
  static A2aRequest within(Duration time, String url) {
    return to(url, Duration.ofMinutes(5), Deadline.in(time));
  }

  /** A guard that allows every url, and looks names up by {@code names}. */
  static TargetGuard resolvingBy(Dns names) {
    return new TargetGuard() {
      @Override
      public void requireAllowed(String url) {}

      @Override
      public List<InetAddress> resolve(String host) throws UnknownHostException {
        return names.lookup(host);
      }
    };
  }
}
