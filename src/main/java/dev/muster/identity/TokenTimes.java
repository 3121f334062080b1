package dev.muster.identity;

import dev.muster.platform.work.Pace;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The times by which a revocation reaches the caches of all replicas (R1.6).
 *
 * @param revocationPoll the interval of the reads of new revocations
 * @param reach the longest time until every replica refuses a revoked token; a cache that has read
 *     nothing for longer answers nothing. No pace shortens it: a shorter pause of the machine would
 *     refuse every request
 * @param lastUsedWrite the interval at which the last use of tokens is stored
 */
@Component
record TokenTimes(Duration revocationPoll, Duration reach, Duration lastUsedWrite) {

  @Autowired
  TokenTimes(Pace pace) {
    this(pace.of(Duration.ofSeconds(2)), Tokens.REVOCATION_REACH, pace.of(Duration.ofMinutes(1)));
  }
}
