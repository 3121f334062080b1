package dev.muster.platform.work;

import dev.muster.platform.text.Text;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.stereotype.Component;

/**
 * Names this process among the replicas: machine, process id and four random hex digits.
 *
 * <p>The digits distinguish replicas with the same machine name and process id.
 */
@Component
public final class ReplicaName {

  /** The scheduler's column holds 50 characters. */
  private static final int MAX_HOST_LENGTH = 30;

  private final String name =
      "%s-%d-%04x"
          .formatted(
              Text.cut(host(), MAX_HOST_LENGTH),
              ProcessHandle.current().pid(),
              ThreadLocalRandom.current().nextInt(0x10000));

  public String name() {
    return name;
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
