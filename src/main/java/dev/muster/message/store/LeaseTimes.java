package dev.muster.message.store;

import dev.muster.platform.work.Pace;
import java.time.Duration;

/**
 * The times by which a replica shows that it runs, and takes over from one that does not (R7.7).
 *
 * @param lease how long a replica counts as running after a renewal
 * @param renewal the interval of the renewals, and of the look for lapsed leases
 * @param spare the least time left for a delivery to begin. With less, another replica could take
 *     it over during a call
 * @param sweep the interval of the job that ends expired messages
 * @param unknownClaim how old a delivery is whose claim this replica can be sure not to know
 */
public record LeaseTimes(
    Duration lease, Duration renewal, Duration spare, Duration sweep, Duration unknownClaim) {

  public static LeaseTimes at(Pace pace) {
    return new LeaseTimes(
        pace.of(Duration.ofSeconds(25)),
        pace.of(Duration.ofSeconds(5)),
        pace.of(Duration.ofSeconds(5)),
        pace.of(Duration.ofSeconds(15)),
        pace.of(Duration.ofSeconds(10)));
  }
}
