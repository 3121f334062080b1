package dev.muster.identity;

import dev.muster.identity.SessionRepository.OpenLink;
import dev.muster.identity.SessionRepository.Person;
import dev.muster.identity.SessionRepository.Session;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Creates and ends the console's links and sessions (R1.9). */
@Service
class Sessions {

  /** The maximum lifetime of a session. */
  static final Duration MAX_AGE = Duration.ofDays(7);

  /** The live sessions of one person, or of one agent; a new one ends the oldest. */
  static final int MAX_OF_AN_OWNER = 20;

  /** The same of all people with one token. */
  static final int MAX_OF_A_TOKEN = 200;

  /** A new session. Only this record holds the cookie and the page key in clear. */
  record Started(Person person, Instant expiresAt, Secret cookie, Secret pageKey) {}

  /** A new link's code in clear, and its expiry. */
  record Link(Secret code, Instant expiresAt) {}

  private final SessionRepository repository;
  private final Credentials credentials;
  private final TokenCache cache;
  private final TransactionTemplate transactions;

  Sessions(
      SessionRepository repository,
      Credentials credentials,
      TokenCache cache,
      TransactionTemplate transactions) {
    this.repository = repository;
    this.credentials = credentials;
    this.cache = cache;
    this.transactions = transactions;
  }

  /** Creates a link that is valid no longer than the token {@code maker}. */
  Link makeLink(Role role, String name, SecretHash maker, Duration ttl) {
    Secret code = Secret.random();
    UUID id = UUID.randomUUID();
    AuditTrail.addTarget(id);
    return new Link(
        code,
        transactions.execute(status -> repository.insertLink(id, code, role, name, maker, ttl)));
  }

  /** Returns the links that may still be used, oldest first. */
  List<OpenLink> openLinks() {
    return repository.openLinks().stream()
        .filter(link -> credentials.isLive(link.maker()))
        .toList();
  }

  /** Ends a link that was not used; returns false when there is none. */
  boolean endLink(UUID id) {
    return Boolean.TRUE.equals(transactions.execute(status -> repository.endLink(id)));
  }

  /**
   * Redeems a link and starts its session.
   *
   * @param replaced cookies whose sessions the new one replaces
   * @param audit attaches an audit row for the new caller, before the commit
   */
  Started redeem(String code, List<String> replaced, Consumer<Caller> audit) {
    return transactions.execute(status -> {
      Person person =
          repository
              .redeemLink(new Secret(code).hash())
              .filter(found -> credentials.isLive(found.maker()))
              .orElseThrow(Sessions::spent);
      return start(person, replaced, audit);
    });
  }

  /** Starts a session like {@link #redeem}, for a person who presented a token. */
  Started signIn(Person person, List<String> replaced, Consumer<Caller> audit) {
    return transactions.execute(status -> start(person, replaced, audit));
  }

  private Started start(Person person, List<String> before, Consumer<Caller> audit) {
    UUID id = UUID.randomUUID();
    Secret cookie = Secret.random();
    Secret pageKey = Secret.random();
    if (person.workspaceId() == null) {
      audit.accept(Role.of(person.role()).caller(id, person.name()));
      AuditTrail.addTarget(id);
    }
    endAll(before);
    repository.lock(person);
    Instant expiresAt = repository.insert(id, cookie, pageKey, person);
    Map<UUID, SecretHash> replaced = repository.endOldest(person, MAX_OF_AN_OWNER, MAX_OF_A_TOKEN);
    replaced.keySet().forEach(AuditTrail::addTarget);
    forget(replaced.values());
    return new Started(person, expiresAt, cookie, pageKey);
  }

  private void endAll(List<String> cookies) {
    for (String cookie : cookies) {
      repository
          .find(new Secret(cookie).hash())
          .ifPresent(session -> {
            AuditTrail.addTarget(session.id());
            forget(repository.end(session.id()).stream().toList());
          });
    }
  }

  /** Returns the sessions whose tokens are still valid, oldest first; looks each token up once. */
  List<Session> live() {
    Map<SecretHash, Boolean> makers = new HashMap<>();
    return repository.live().stream()
        .filter(session -> makers.computeIfAbsent(session.maker(), credentials::isLive))
        .toList();
  }

  Optional<Session> find(String cookie) {
    return repository.find(new Secret(cookie).hash());
  }

  /**
   * Ends a session; returns false when there is none. Other replicas refuse it within {@link
   * Tokens#REVOCATION_REACH}.
   */
  boolean end(UUID id) {
    return transactions.execute(status -> {
      AuditTrail.addTarget(id);
      Optional<SecretHash> ended = repository.end(id);
      forget(ended.stream().toList());
      return ended.isPresent();
    });
  }

  /** Ends this session and all others of its token, role and name. */
  void endAllLike(Session session) {
    transactions.executeWithoutResult(status -> {
      AuditTrail.addTarget(session.id());
      forget(repository.endAllLike(session));
    });
  }

  private void forget(Collection<SecretHash> cookies) {
    AfterCommit.run(() -> cache.forget(cookies));
  }

  private static ProblemException spent() {
    return new ProblemException(
        ErrorCode.LINK_SPENT,
        "this link was used already, or is too old, or the token that made it is not good any more;"
            + " ask for a new one, or sign in with a token");
  }
}
