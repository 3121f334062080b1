package dev.muster.platform.maintenance;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What this JVM says of its ahead-of-time cache, which {@code -XX:AOTCache} names. A JVM that
 * cannot use it starts without it, and more slowly.
 */
final class AheadOfTimeCache {

  private AheadOfTimeCache() {}

  /** Returns the file that is named; empty where none is. */
  static String named() {
    return ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .getVMOption("AOTCache")
        .getValue();
  }

  /**
   * Whether the class came from a cache: the JVM's list of its classes has an S among the flags, as
   * in {@code 0x0000000009054410 66 fully_initialized WS dev.muster.Name}.
   *
   * @throws JMException where this JVM has no such list
   */
  static boolean holds(Class<?> type) throws JMException {
    Object classes =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "vmClasses",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    return Pattern.compile("(?m) [A-Z]*S[A-Z]* +" + Pattern.quote(type.getName()) + " *$")
        .matcher(String.valueOf(classes))
        .find();
  }
}
