package dev.muster.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Supplies the workspace's token: the given one, else the one of the token file. */
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

  /** Reads the file again and returns whether the token now differs from {@code refused}. */
  boolean changedFrom(@Nullable String refused) {
    if (given) {
      return false;
    }
    stored().ifPresent(now -> token = now);
    String current = token;
    return current != null && !current.equals(refused);
  }

  /**
   * Uses a minted token and writes it to the token file, if there is one.
   *
   * @throws UncheckedIOException when the write fails: after a restart the agent has no token
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
