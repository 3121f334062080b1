package dev.muster.platform.settings;

/**
 * Says in one sentence why Muster does not start, and what to do.
 *
 * <p>The operator sees only this sentence. It names the folder or the setting, and never a password
 * or a token.
 */
public final class StartRefusedException extends RuntimeException {

  public StartRefusedException(String sentence) {
    super(sentence);
  }

  public StartRefusedException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
