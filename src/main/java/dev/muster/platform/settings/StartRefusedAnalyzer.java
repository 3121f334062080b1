package dev.muster.platform.settings;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Makes Spring Boot print the refusal's sentence instead of a stack trace. */
final class StartRefusedAnalyzer extends AbstractFailureAnalyzer<StartRefusedException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StartRefusedException refusal) {
    @Nullable String noAction = null; // the sentence says what to do
    return new FailureAnalysis(refusal.getMessage(), noAction, refusal);
  }
}
