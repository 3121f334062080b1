package dev.muster.workspace.agenturl;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves a host name to its addresses. */
@FunctionalInterface
public interface HostResolver {
  /** The operating system's resolver, which may block without limit. */
  HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

  /**
   * Returns all addresses of this name.
   *
   * @throws UnknownHostException when it has none
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;
}
