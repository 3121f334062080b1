package dev.muster.identity;

import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.log.LogFormat;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import dev.muster.platform.settings.SettingChecks;
import dev.muster.platform.settings.StartRefusedException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Repository;

/**
 * Holds the hash of the admin token (R1.2). The token is the value of {@code ADMIN_TOKEN}, or is
 * made at the first start. Of a made token the database keeps only the hash. The embedded mode also
 * keeps it in clear, in a file of its home directory. That file then overrides the hash in the
 * database.
 */
@Component
class AdminToken {

  private static final Logger log = LoggerFactory.getLogger(AdminToken.class);

  /** The file's name in the home directory of the embedded mode. */
  static final String FILE = "admin-token";

  /** The name of who presents it, and of who signs in with it and gives none. */
  static final String NAME = "admin";

  private static final int MIN_LENGTH = 16;

  /** Checks {@code ADMIN_TOKEN}. */
  static final class Checks implements SettingChecks {

    @Override
    public List<Supplier<?>> parsers(SecuritySettings texts, Environment environment) {
      return List.of(() -> configured(texts));
    }
  }

  /** Stores the hash of the admin token that the server made. */
  @Repository
  static class AdminTokenRepository {

    private static final String FIND = "SELECT hash FROM admin_token";

    private static final String KEEP_IF_FIRST =
        """
        INSERT INTO admin_token (hash, created_at)
        VALUES (:hash, now())
        ON CONFLICT (only_row) DO NOTHING
        """;

    private static final String REPLACE =
        """
        INSERT INTO admin_token (hash, created_at) VALUES (:hash, now())
        ON CONFLICT (only_row) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at
        WHERE admin_token.hash <> excluded.hash
        """;

    private final JdbcClient db;

    AdminTokenRepository(JdbcClient db) {
      this.db = db;
    }

    Optional<SecretHash> find() {
      return db.sql(FIND).query((row, n) -> new SecretHash(row.getBytes("hash"))).optional();
    }

    /** Stores the hash if none is stored; returns whether this replica's hash was stored. */
    boolean keepIfFirst(SecretHash hash) {
      return db.sql(KEEP_IF_FIRST).param("hash", hash.bytes()).update() == 1;
    }

    void replace(SecretHash hash) {
      db.sql(REPLACE).param("hash", hash.bytes()).update();
    }
  }

  private final SecretHash hash;

  /** The token in clear; present only in the embedded mode without {@code ADMIN_TOKEN}. */
  private final Optional<Secret> shown;

  AdminToken(
      SecuritySettings settings,
      AdminTokenRepository repository,
      ObjectProvider<MusterHome> home,
      Environment environment) {
    Optional<Secret> configured = configured(settings);
    MusterHome embedded = home.getIfAvailable();
    if (configured.isPresent()) {
      this.shown = Optional.empty();
      this.hash = configured.get().hash();
    } else if (embedded != null) {
      Secret kept = ofHome(embedded, repository);
      this.shown = Optional.of(kept);
      this.hash = kept.hash();
    } else {
      this.shown = Optional.empty();
      this.hash = ofDatabase(repository, LogFormat.isStructured(environment));
    }
  }

  private static Optional<Secret> configured(SecuritySettings settings) {
    return Optional.ofNullable(settings.security().adminToken())
        .map(value -> Setting.ADMIN_TOKEN.parse(() -> longEnough(value)));
  }

  Optional<Secret> shown() {
    return shown;
  }

  SecretHash hash() {
    return hash;
  }

  boolean matches(SecretHash presented) {
    return hash.matches(presented);
  }

  private static Secret longEnough(String value) {
    if (value.length() < MIN_LENGTH) {
      throw new IllegalArgumentException("expected at least " + MIN_LENGTH + " characters");
    }
    return new Secret(value);
  }

  private static Secret ofHome(MusterHome home, AdminTokenRepository repository) {
    Secret secret =
        home.secret(FILE)
            .map(Secret::new)
            .orElseGet(() -> {
              Secret made = Secret.random();
              home.keepSecret(FILE, made.text());
              return made;
            });
    repository.replace(secret.hash());
    return secret;
  }

  private static SecretHash ofDatabase(AdminTokenRepository repository, boolean logIsCollected) {
    return repository
        .find()
        .orElseGet(() -> {
          if (logIsCollected) {
            throw new StartRefusedException(
                "set ADMIN_TOKEN: a generated token could only be shown in the log, which the"
                    + " structured format (LOG_FORMAT=json) sends to collectors.");
          }
          Secret made = Secret.random();
          if (repository.keepIfFirst(made.hash())) {
            log.warn("made an admin token; it is shown this once, keep it: {}", made.text());
          }
          return repository.find().orElseThrow();
        });
  }
}
