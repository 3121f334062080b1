package dev.muster.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/** Sends requests at a fixed rate, whether or not the last one was answered. */
final class PacedRequests {

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final UnaryOperator<String> urlOf;
  private final UnaryOperator<String> bodyOf;
  private final List<String[]> fleet;

  /** Url and body are functions of a workspace's id; workspaces are used in turn. */
  PacedRequests(UnaryOperator<String> urlOf, UnaryOperator<String> bodyOf, List<String[]> fleet) {
    this.urlOf = urlOf;
    this.bodyOf = bodyOf;
    this.fleet = fleet;
  }

  static PacedRequests heartbeats(String url, List<String[]> fleet) {
    return new PacedRequests(
        id -> url,
        id -> "{\"workspace_id\":\"" + id + "\",\"error_rate\":0.01,\"active_tasks\":1}",
        fleet);
  }

  static PacedRequests appends(String baseUrl, List<String[]> fleet) {
    return new PacedRequests(
        id -> baseUrl + "/workspaces/" + id + "/activity",
        id ->
            "{\"activity_type\":\"agent_log\",\"summary\":\"reviewing\",\"request_body\":{\"step\":1}}",
        fleet);
  }

  /** Returns the latencies in milliseconds from when each request was due, sorted. */
  List<Double> run(int perSecond, int seconds) {
    return Pace.run(perSecond, seconds, this::send);
  }

  /** As {@link #run}, with the due time of each. */
  List<Pace.Timed> timed(int perSecond, int seconds) {
    return Pace.timed(perSecond, seconds, this::send);
  }

  /** As long as {@code goesOn} is true of the number of the next. */
  List<Pace.Timed> timed(int perSecond, IntPredicate goesOn) {
    return Pace.timed(perSecond, goesOn, this::send);
  }

  private void send(int number) {
    send(fleet.get(number % fleet.size()));
  }

  private void send(String[] agent) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(urlOf.apply(agent[0])))
            .header("Authorization", "Bearer " + agent[1])
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(bodyOf.apply(agent[0])))
            .build();
    int status =
        http.sendAsync(request, HttpResponse.BodyHandlers.discarding()).join().statusCode();
    if (status != 200) {
      throw new IllegalStateException("answered " + status);
    }
  }
}
