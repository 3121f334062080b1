package dev.muster.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The token of the workspace: the one that was given, else that of the file. */
final class TokenSource {

  private static final Logger log = LoggerFactory.getLogger(TokenSource.class);

  private final boolean given;
  private final @Nullable AtomicFile file;
  private volatile @Nullable String token;

  TokenSource(@Nullable String token, @Nullable Path file) {
    this.given = token != null;
    this.file = file == null ? null : new AtomicFile(file);
    this.token = token == null ? stored().orElse(null) : token;
  }

  Optional<String> token() {
    return Optional.ofNullable(token);
  }

  /** Looks into the file again; whether there is another token in it than {@code refused}. */
  boolean changedFrom(@Nullable String refused) {
    if (given) {
      return false;
    }
    stored().ifPresent(now -> token = now);
    String current = token;
    return current != null && !current.equals(refused);
  }

  /**
   * Takes the token that the platform made.
   *
   * @throws UncheckedIOException when it cannot be kept: a restart would be locked out
   */
  void keep(String minted) {
    token = minted;
    if (file != null) {
      try {
        file.write(minted + "\n");
      } catch (IOException e) {
        throw new UncheckedIOException("the token cannot be kept in " + file.path(), e);
      }
    }
  }

  private Optional<String> stored() {
    if (file == null) {
      return Optional.empty();
    }
    try {
      return file.read().map(String::strip).filter(text -> !text.isEmpty());
    } catch (IOException e) {
      log.warn("the file of the token, {}, cannot be read: {}", file.path(), e.toString());
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return "Credential[" + (token == null ? "none" : "a token") + "]";
  }
}
