package dev.muster.workspace.agenturl;

import dev.muster.workspace.agenturl.AgentUrlGuard.HostResolver;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;

/** A resolver without a network: fixed answers under .test, a public address for any other name. */
final class TestNames implements HostResolver {
  static final InetAddress PUBLIC = InetAddress.ofLiteral("93.184.215.14");
  static final InetAddress PUBLIC_V6 = InetAddress.ofLiteral("2606:4700::1111");

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    return switch (host.toLowerCase(Locale.ROOT)) {
      case "localhost", "localhost.", "loopback.test" -> addresses("127.0.0.1");
      case "v6loopback.test" -> addresses("::1");
      case "mapped-loopback.test" -> addresses("::ffff:127.0.0.1");
      case "metadata.test" -> addresses("169.254.169.254");
      case "inner.test" -> addresses("10.1.2.3");
      case "ula.test" -> addresses("fd12:3456:789a::1");
      case "mixed.test" -> List.of(PUBLIC, InetAddress.ofLiteral("192.168.1.1"));
      case "tailnet.test" -> addresses("100.101.102.103");
      case "dual.test" -> List.of(PUBLIC, PUBLIC_V6);
      case "empty.test" -> List.of();
      case "nowhere.test" -> throw new UnknownHostException(host);
      default -> List.of(PUBLIC);
    };
  }

  private static List<InetAddress> addresses(String literal) {
    return List.of(InetAddress.ofLiteral(literal));
  }
}
