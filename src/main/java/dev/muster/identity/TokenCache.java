package dev.muster.identity;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.identity.CachedToken.State;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.platform.postgres.BatchLimits;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.platform.postgres.BatchRetry;
import dev.muster.platform.postgres.GroupCommit;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Caches the tokens that callers of this replica present, and drops revoked ones. A cached look-up
 * runs no SQL.
 *
 * <p>Every 2 s it reads the revocations of the last ten minutes. When that has not succeeded for 5
 * s, cached look-ups fail with {@code UNAVAILABLE} (R1.6). Unknown tokens are not cached.
 */
@Component
class TokenCache {

  private static final int MAX_REMEMBERED = 500_000;

  /**
   * How far each read overlaps the last: {@code revoked_at} is set before the commit makes it
   * visible.
   */
  private static final Duration MAX_COMMIT = Duration.ofMinutes(10);

  private static final int USES_IN_A_STATEMENT = 1000;

  private final TokenRepository repository;
  private final TokenTimes times;
  private final Cache<SecretHash, CachedToken> known =
      Caffeine.newBuilder()
          .maximumSize(MAX_REMEMBERED)
          .expireAfterAccess(Duration.ofHours(1))
          .build();
  private final GroupCommit<SecretHash, Optional<CachedToken>> lookUps;
  private final BackgroundLoop revocations;
  private final BackgroundLoop uses;
  private final FailingUnits failing;
  private volatile long revocationsReadAt = System.nanoTime();

  /** In the database's time, because this machine's clock stops while it sleeps. */
  private Instant revocationsKnownTo;

  TokenCache(
      TokenRepository repository, TokenTimes times, MeterRegistry metrics, BackgroundLoops loops) {
    this.repository = repository;
    this.times = times;
    this.lookUps =
        new GroupCommit<>(
            "token-look-ups", hash -> hash, BatchLimits.anyOfAKey(), this::lookUp, loops, metrics);
    this.failing = new FailingUnits("token-last-used", metrics);
    this.revocationsKnownTo = repository.now();
    this.revocations =
        loops.start("token-revocations", times.revocationPoll(), this::readRevocations);
    this.uses = loops.start("token-last-used", times.lastUsedWrite(), this::noteUses);
  }

  Optional<CachedToken> find(SecretHash hash) {
    @Nullable CachedToken remembered = known.getIfPresent(hash);
    if (remembered == null) {
      Optional<CachedToken> stored = lookUps.submit(hash);
      stored.ifPresent(token -> known.put(hash, token));
      return stored;
    }
    if (System.nanoTime() - revocationsReadAt > times.reach().toNanos()) {
      throw databaseUnavailable();
    }
    remembered.use();
    return Optional.of(remembered);
  }

  /**
   * Looks up one group commit batch in one statement. So a fleet that reconnects to a cold replica
   * does not run one statement per agent.
   */
  private List<BatchOutcome<Optional<CachedToken>>> lookUp(List<SecretHash> presented) {
    return BatchRetry.run(
        presented,
        hashes -> {
          Map<SecretHash, CachedToken> stored = repository.findByHash(Set.copyOf(hashes));
          return hashes.stream()
              .<BatchOutcome<Optional<CachedToken>>>map(
                  hash -> new BatchOutcome.Done<>(Optional.ofNullable(stored.get(hash))))
              .toList();
        });
  }

  private static ProblemException databaseUnavailable() {
    return ProblemException.unavailable(
        "credentials cannot be checked right now; try again in a few seconds");
  }

  void forget(Collection<SecretHash> hashes) {
    known.invalidateAll(hashes);
  }

  void forgetAfterCommit(Collection<SecretHash> hashes) {
    AfterCommit.run(() -> forget(hashes));
  }

  /**
   * Applies new revocations. The cache then knows all revocations committed before the read began,
   * so it records that moment as its age.
   */
  private void readRevocations() {
    long asOf = System.nanoTime();
    Instant asOfDatabase = repository.now();
    for (var revocation : repository.revokedSince(revocationsKnownTo.minus(MAX_COMMIT))) {
      known
          .asMap()
          .computeIfPresent(revocation.hash(), (hash, token) -> inState(token, revocation.state()));
    }
    revocationsReadAt = asOf;
    revocationsKnownTo = asOfDatabase;
  }

  private static CachedToken inState(CachedToken token, State state) {
    return token.state() == state ? token : token.in(state);
  }

  /** Stores the uses of tokens since the last call. */
  void noteUses() {
    List<UUID> used =
        known.asMap().values().stream()
            .filter(CachedToken::takeUse)
            .map(CachedToken::id)
            .sorted()
            .collect(Collectors.toList());
    for (int from = 0; from < used.size(); from += USES_IN_A_STATEMENT) {
      failing.runAll(
          used.subList(from, Math.min(used.size(), from + USES_IN_A_STATEMENT)),
          id -> id,
          repository::noteUse);
    }
  }

  @PreDestroy
  void close() {
    lookUps.close();
    revocations.close();
    uses.close();
  }
}
