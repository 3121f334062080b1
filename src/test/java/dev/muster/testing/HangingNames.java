package dev.muster.testing;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The name look-up of the tests' processes, found by the JDK. Some names get no answer, as from a
 * name server that has died; all others are looked up by the system.
 */
public final class HangingNames extends InetAddressResolverProvider {

  private static final Map<String, CountDownLatch> HANGING = new ConcurrentHashMap<>();

  /** Lets the look-ups of a name hang until the result is closed; then the name is unknown. */
  public static AutoCloseable hang(String host) {
    CountDownLatch end = new CountDownLatch(1);
    HANGING.put(host, end);
    return end::countDown;
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver system = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        @Nullable CountDownLatch end = HANGING.get(host);
        if (end == null) {
          return system.lookupByName(host, policy);
        }
        try {
          end.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        throw new UnknownHostException(host);
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return system.lookupByAddress(address);
      }
    };
  }

  @Override
  public String name() {
    return "names that hang";
  }
}
