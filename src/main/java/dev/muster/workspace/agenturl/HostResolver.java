package dev.muster.workspace.agenturl;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Turns a host name into its addresses. */
@FunctionalInterface
public interface HostResolver {
  /** The operating system's resolver; it may block for as long as it likes. */
  HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

  /**
   * All addresses of this name.
   *
   * @throws UnknownHostException when it has none
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;
}
