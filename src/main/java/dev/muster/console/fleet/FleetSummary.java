package dev.muster.console.fleet;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The fleet in figures, as of one event.
 *
 * @param seq the newest event that the figures include
 * @param runtime the most frequent runtimes, with the others as one
 * @param delegations those in flight, by status; of the whole fleet, whatever the filter
 */
record FleetSummary(
    long seq,
    Instant at,
    long total,
    Map<String, Long> status,
    Map<String, Long> reason,
    Map<String, Long> runtime,
    long stalled,
    Map<String, Long> delegations,
    Queue queue,
    List<FleetRow> worst,
    List<Banner> banners) {

  /** The messages that wait for agents, and for how many seconds the oldest has. */
  record Queue(long waiting, long oldestS) {}

  /**
   * What may make statuses wrong that are not the agents' fault.
   *
   * @param kind {@code own_absence}: no server ran until {@code since}; {@code mass_silence}: too
   *     many agents fell silent at once, so none is taken offline
   * @param until when statuses are as reliable as ever, at the latest
   */
  record Banner(String kind, Instant since, Instant until) {}
}
