package dev.muster.platform.settings;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

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

  /** Makes Spring Boot print the refusal's sentence instead of a stack trace. */
  static final class Analyzer extends AbstractFailureAnalyzer<StartRefusedException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartRefusedException refusal) {
      @Nullable String noAction = null; // the sentence says what to do
      return new FailureAnalysis(refusal.getMessage(), noAction, refusal);
    }
  }
}
