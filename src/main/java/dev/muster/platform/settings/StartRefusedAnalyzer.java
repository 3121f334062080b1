package dev.muster.platform.settings;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Makes Spring Boot print the refusal's sentence instead of a stack trace. It comes before Spring's
 * analyzer of properties, which would print the value.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartRefusedAnalyzer extends AbstractFailureAnalyzer<StartRefusedException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StartRefusedException refusal) {
    @Nullable String noAction = null; // the sentence says what to do
    return new FailureAnalysis(refusal.getMessage(), noAction, refusal);
  }
}
