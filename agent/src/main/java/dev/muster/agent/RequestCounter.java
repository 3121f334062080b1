package dev.muster.agent;

import org.jspecify.annotations.Nullable;

/** Counts successes and failures since the last accepted heartbeat. Safe from any thread. */
final class RequestCounter {

  /** The counts that a heartbeat reports; {@code sample} is the text of the latest failure. */
  record Counts(long successes, long failures, String sample) {

    boolean isEmpty() {
      return successes + failures == 0;
    }

    double errorRate() {
      return (double) failures / (successes + failures);
    }
  }

  private static final int MAX_SAMPLE_LENGTH = 4_096;

  private long successes;
  private long failures;
  private String sample = "";

  synchronized void succeeded() {
    successes++;
  }

  synchronized void failed(@Nullable String text) {
    failures++;
    String said = text == null || text.isBlank() ? "failed without a message" : text;
    sample = said.length() <= MAX_SAMPLE_LENGTH ? said : said.substring(0, MAX_SAMPLE_LENGTH);
  }

  synchronized Counts now() {
    return new Counts(successes, failures, failures == 0 ? "" : sample);
  }

  /** Subtracts the counts of an accepted heartbeat; later ones stay for the next heartbeat. */
  synchronized void reported(Counts counts) {
    successes -= counts.successes();
    failures -= counts.failures();
  }
}
