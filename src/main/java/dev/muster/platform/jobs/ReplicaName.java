package dev.muster.platform.jobs;

import dev.muster.platform.text.Text;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.stereotype.Component;

/**
 * What this process calls itself among its like: machine, process id, and four digits for those who
 * share both.
 */
@Component
public final class ReplicaName {

  /** The scheduler's column has room for 50. */
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
