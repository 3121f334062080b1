package dev.muster.platform.metrics;

import dev.muster.platform.problem.ErrorCode;
import io.micrometer.common.KeyValue;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.http.server.observation.DefaultServerRequestObservationConvention;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.stereotype.Component;

/**
 * Bounds the status tags of request timers.
 *
 * <p>The proxy passes on any status of an agent's response, and each status would add series that
 * are kept for ever. A status that the server itself does not use becomes {@code 4xx} and the like.
 */
@Component
final class BoundedRequestTags extends DefaultServerRequestObservationConvention {

  private static final Set<Integer> OWN_STATUSES =
      IntStream.concat(
              IntStream.of(101, 200, 201, 202, 302),
              Arrays.stream(ErrorCode.values()).mapToInt(code -> code.status().value()))
          .boxed()
          .collect(Collectors.toUnmodifiableSet());

  @Override
  protected KeyValue status(ServerRequestObservationContext context) {
    KeyValue status = super.status(context);
    boolean isForeign =
        context.getResponse() != null && !OWN_STATUSES.contains(context.getResponse().getStatus());
    return isForeign ? KeyValue.of(status.getKey(), status.getValue().charAt(0) + "xx") : status;
  }
}
