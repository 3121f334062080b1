package dev.muster.delivery;

import dev.muster.protocol.client.AddressGuard;
import dev.muster.protocol.client.TargetNotAllowedException;
import dev.muster.workspace.agenturl.AddressNotAllowedException;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Checks every url before it is dialled, and every resolved host name, by {@link AgentUrlGuard}
 * (R3.3).
 */
@Component
class AgentUrlAddressGuard implements AddressGuard {

  private final AgentUrlGuard guard;

  AgentUrlAddressGuard(AgentUrlGuard guard) {
    this.guard = guard;
  }

  @Override
  public void requireAllowed(String url) throws TargetNotAllowedException {
    if (guard.checkForm(url) instanceof AgentUrlGuard.Verdict.Refused refused) {
      throw new TargetNotAllowedException(refused.label());
    }
  }

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    return resolve(host, "");
  }

  @Override
  public List<InetAddress> resolve(String host, String target) throws UnknownHostException {
    try {
      return guard.resolve(host, target);
    } catch (AddressNotAllowedException e) {
      throw new TargetNotAllowedException(e.addressClass().label());
    }
  }
}
