package dev.muster.platform.commit;

import java.util.List;

/** Commits a batch and returns one outcome per value, in the order of the values. */
@FunctionalInterface
public interface BatchHandler<T, R> {

  List<BatchOutcome<R>> commit(List<T> batch);
}
