package dev.muster.platform.log;

import dev.muster.platform.problem.ErrorCode;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.observation.DefaultServerRequestObservationConvention;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.http.server.observation.ServerRequestObservationConvention;

/**
 * Configures the meters of HTTP requests.
 *
 * <p>Each route and outcome has a timer without buckets. Routes that agents call often, and that
 * respond at once, have a second timer with buckets. It has a separate name, because Prometheus
 * requires the same form for all series of a name. Statuses are counted for all routes together.
 * Routes of operators and of the console are many and rarely called, so those with the same method
 * share one timer.
 */
@Configuration(proxyBeanMethods = false)
class RequestMeters {

  /** The timer of Spring's HTTP server observation. */
  private static final String TIMER = "http.server.requests";

  private static final Set<String> KEPT = Set.of("method", "uri", "outcome");

  private static final Pattern SHARED = Pattern.compile("^/(admin|console)/.*");

  /** Method and route of the timers with buckets. */
  private static final Set<String> WITH_BUCKETS =
      Set.of(
          "POST /registry/heartbeat",
          "POST /workspaces/{id}/activity",
          "POST /workspaces/{id}/activity/ack",
          "POST /workspaces/{id}/delegate",
          "GET /workspaces/{id}/state");

  private static final Duration[] BUCKETS =
      Stream.of(1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private static final Set<Integer> OWN_STATUSES =
      IntStream.concat(
              IntStream.of(101, 200, 201, 202, 302),
              Arrays.stream(ErrorCode.values()).mapToInt(code -> code.status().value()))
          .boxed()
          .collect(Collectors.toUnmodifiableSet());

  /**
   * Bounds the status tags of request timers.
   *
   * <p>The proxy passes on any status of an agent's response, and each status would add series that
   * are kept for ever. A status that the server itself does not use becomes {@code 4xx} and the
   * like.
   */
  @Bean
  ServerRequestObservationConvention boundedStatuses() {
    return new DefaultServerRequestObservationConvention() {
      @Override
      protected KeyValue status(ServerRequestObservationContext context) {
        KeyValue status = super.status(context);
        boolean isForeign =
            context.getResponse() != null
                && !OWN_STATUSES.contains(context.getResponse().getStatus());
        return isForeign
            ? KeyValue.of(status.getKey(), status.getValue().charAt(0) + "xx")
            : status;
      }
    };
  }

  @Bean
  MeterFilter requestTags() {
    return new MeterFilter() {
      @Override
      public Meter.Id map(Meter.Id id) {
        return id.getName().equals(TIMER) ? bounded(id) : id;
      }
    };
  }

  /** Resolves the registry lazily, because Spring creates it after the observation handlers. */
  @Bean
  ObservationHandler<ServerRequestObservationContext> requestHandler(
      ObjectProvider<MeterRegistry> metrics) {
    return new ObservationHandler<>() {
      @Override
      public boolean supportsContext(Observation.Context context) {
        return context instanceof ServerRequestObservationContext;
      }

      @Override
      public void onStart(ServerRequestObservationContext context) {
        context.put(RequestMeters.class, System.nanoTime());
      }

      @Override
      public void onStop(ServerRequestObservationContext context) {
        Counter.builder("muster.http.answers")
            .description("Answers by HTTP status")
            .tag("status", value(context, "status"))
            .register(metrics.getObject())
            .increment();
        String method = value(context, "method");
        String route = value(context, "uri");
        if (value(context, "outcome").equals("SUCCESS")
            && WITH_BUCKETS.contains(method + " " + route)) {
          Timer.builder("muster.http.latency")
              .description(
                  "How long requests took that agents send all the time, when they succeeded")
              .tags("method", method, "uri", route)
              .serviceLevelObjectives(BUCKETS)
              .register(metrics.getObject())
              .record(
                  System.nanoTime() - context.<Long>getRequired(RequestMeters.class),
                  TimeUnit.NANOSECONDS);
        }
      }
    };
  }

  private static String value(ServerRequestObservationContext context, String key) {
    KeyValue tag = context.getLowCardinalityKeyValue(key);
    return tag == null ? "UNKNOWN" : tag.getValue();
  }

  private static Meter.Id bounded(Meter.Id id) {
    List<Tag> kept =
        id.getTags().stream()
            .filter(tag -> KEPT.contains(tag.getKey()))
            .map(tag -> Tag.of(tag.getKey(), SHARED.matcher(tag.getValue()).replaceFirst("/$1/**")))
            .toList();
    return new Meter.Id(
        TIMER,
        Tags.of(kept),
        id.getBaseUnit(),
        "How long requests took, by route and outcome",
        id.getType());
  }
}
