package dev.muster.delegation;

import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Lists of delegations, the newest first. */
@Component
class DelegationLists {

  /** Ids byte by byte, as the database compares them: Java takes halves of them for signed. */
  private static final Comparator<Delegation> NEWEST_FIRST =
      Comparator.comparing(Delegation::createdAt)
          .thenComparing(delegation -> delegation.id().toString())
          .reversed();

  /** After every row there can be. */
  private static final PageCursor NEWEST =
      new PageCursor(Instant.parse("9999-12-31T00:00:00Z"), new UUID(-1, -1));

  private final DelegationRepository repository;

  DelegationLists(DelegationRepository repository) {
    this.repository = repository;
  }

  /** Which delegations of a workspace: those of a status, or of one direction. */
  record Filter(Optional<DelegationStatus> status, Optional<Direction> direction) {

    /** {@code ""} counts as absent. */
    static Filter read(String status, String direction) {
      return new Filter(
          word(status, "status", DelegationStatus.values(), DelegationStatus::wire),
          word(direction, "direction", Direction.values(), Direction::wire));
    }

    private static <E> Optional<E> word(
        String word, String name, E[] values, Function<E, String> wire) {
      if (word.isEmpty()) {
        return Optional.empty();
      }
      Optional<E> found =
          Arrays.stream(values).filter(value -> wire.apply(value).equals(word)).findFirst();
      if (found.isEmpty()) {
        throw ProblemException.validation(
            name
                + " must be one of: "
                + Arrays.stream(values).map(wire).collect(Collectors.joining(", ")));
      }
      return found;
    }
  }

  Page<Delegation> of(UUID workspaceId, Filter filter, PageCursor after, int limit) {
    PageCursor before = from(after);
    Stream<Delegation> sent =
        filter.direction().equals(Optional.of(Direction.RECEIVED))
            ? Stream.empty()
            : repository.sent(workspaceId, filter.status(), before, limit + 1).stream();
    Stream<Delegation> received =
        filter.direction().equals(Optional.of(Direction.SENT))
            ? Stream.empty()
            : repository.received(workspaceId, filter.status(), before, limit + 1).stream();
    return page(
        Stream.concat(sent, received).sorted(NEWEST_FIRST).limit(limit + 1L).toList(), limit);
  }

  /** Of all workspaces: in flight, when there is no status. */
  Page<Delegation> ofAll(Optional<DelegationStatus> status, PageCursor after, int limit) {
    PageCursor before = from(after);
    return page(
        status.isEmpty() || status.get().isInFlight()
            ? repository.inFlight(status, before, limit + 1)
            : repository.ended(status.get(), before, limit + 1),
        limit);
  }

  private static PageCursor from(PageCursor after) {
    return after.equals(PageCursor.START) ? NEWEST : after;
  }

  private static Page<Delegation> page(List<Delegation> rows, int limit) {
    return Page.of(rows, limit, last -> new PageCursor(last.createdAt(), last.id()));
  }
}
