package dev.muster.identity;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.identity.KnownToken.State;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.platform.problem.ProblemException;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers the tokens of this replica's callers, so that a look-up costs no SQL when warm, and
 * forgets revoked ones.
 *
 * <p>Every 2 s it re-reads the revocations of the last ten minutes; when it could not for 5 s it
 * answers "cannot tell" rather than trust itself (R1.6). Unknown tokens are not remembered.
 */
@Component
class TokenMemory {

  private static final int MOST_REMEMBERED = 500_000;
  private static final Duration REVOCATIONS_EVERY = Duration.ofSeconds(2);

  /** A revocation's time is drawn before its commit lets others see it. */
  private static final Duration LONGEST_COMMIT = Duration.ofMinutes(10);

  private static final Duration USES_NOTED_EVERY = Duration.ofMinutes(1);
  private static final int USES_IN_A_STATEMENT = 1000;
  private static final int MOST_LOOK_UPS_AT_ONCE = 6;
  private static final Duration LOOK_UP_PATIENCE = Duration.ofMillis(1500);

  private final TokenRepository repository;
  private final Cache<SecretHash, KnownToken> known =
      Caffeine.newBuilder()
          .maximumSize(MOST_REMEMBERED)
          .expireAfterAccess(Duration.ofHours(1))
          .build();
  private final Semaphore lookUps = new Semaphore(MOST_LOOK_UPS_AT_ONCE, true);
  private final BackgroundLoop revocations;
  private final BackgroundLoop uses;
  private volatile long revocationsReadAt = System.nanoTime();

  /** By the database's clock, which also runs while this machine sleeps. */
  private Instant revocationsKnownTo;

  TokenMemory(TokenRepository repository) {
    this.repository = repository;
    this.revocationsKnownTo = repository.now();
    this.revocations =
        BackgroundLoop.start("token-revocations", REVOCATIONS_EVERY, this::readRevocations);
    this.uses = BackgroundLoop.start("token-uses", USES_NOTED_EVERY, this::noteUses);
  }

  Optional<KnownToken> find(SecretHash hash) {
    @Nullable KnownToken remembered = known.getIfPresent(hash);
    if (remembered == null) {
      Optional<KnownToken> stored = lookUp(hash);
      stored.ifPresent(token -> known.put(hash, token));
      return stored;
    }
    if (System.nanoTime() - revocationsReadAt > Tokens.REVOCATION_REACH.toNanos()) {
      throw cannotTell();
    }
    remembered.use();
    return Optional.of(remembered);
  }

  /** A fleet that comes back to a cold replica must leave connections to those it knows already. */
  private Optional<KnownToken> lookUp(SecretHash hash) {
    try {
      if (!lookUps.tryAcquire(LOOK_UP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw cannotTell();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw cannotTell();
    }
    try {
      return repository.present(hash);
    } finally {
      lookUps.release();
    }
  }

  private static ProblemException cannotTell() {
    return ProblemException.unavailable(
        "credentials cannot be checked right now; try again in a few seconds");
  }

  void forget(Collection<SecretHash> hashes) {
    known.invalidateAll(hashes);
  }

  void forgetAfterCommit(Collection<SecretHash> hashes) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            forget(hashes);
          }
        });
  }

  /**
   * What was revoked before the read began is known after it; so that moment is what the memory is
   * as old as.
   */
  private void readRevocations() {
    long asOf = System.nanoTime();
    Instant asOfDatabase = repository.now();
    for (var revocation : repository.revokedSince(revocationsKnownTo.minus(LONGEST_COMMIT))) {
      known
          .asMap()
          .computeIfPresent(revocation.hash(), (hash, token) -> inState(token, revocation.state()));
    }
    revocationsReadAt = asOf;
    revocationsKnownTo = asOfDatabase;
  }

  private static KnownToken inState(KnownToken token, State state) {
    return token.state() == state ? token : token.in(state);
  }

  private void noteUses() {
    List<UUID> used =
        known.asMap().values().stream()
            .filter(KnownToken::takeUse)
            .map(KnownToken::id)
            .sorted()
            .collect(Collectors.toList());
    for (int from = 0; from < used.size(); from += USES_IN_A_STATEMENT) {
      repository.noteUse(used.subList(from, Math.min(used.size(), from + USES_IN_A_STATEMENT)));
    }
  }

  @PreDestroy
  void close() {
    revocations.close();
    uses.close();
  }
}
