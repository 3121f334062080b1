package dev.muster.testing;

import dev.muster.platform.work.Pace;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/**
 * Lets a server of a test run its periods faster than in production: {@code TestServer.startWith}.
 *
 * <p>It is no {@code @Configuration}: the scan of the server would find it for every test.
 *
 * <p>With {@code -Dtest.pace=1} it runs as in production, and the test waits as long as that takes.
 */
public class FastPace {

  /** The pace of the server, by which a test scales its own times. */
  public static final Pace PACE = new Pace(Integer.getInteger("test.pace", 5));

  @Bean
  @Primary
  Pace testPace() {
    return PACE;
  }

  /** The time that takes {@code seconds} at the real pace. */
  public static Duration seconds(long seconds) {
    return PACE.of(Duration.ofSeconds(seconds));
  }
}
