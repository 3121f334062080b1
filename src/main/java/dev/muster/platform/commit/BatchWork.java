package dev.muster.platform.commit;

import java.util.List;

/** Commits a batch; the outcomes are in the order of the values. */
@FunctionalInterface
public interface BatchWork<T, R> {

  List<Outcome<R>> commit(List<T> batch);
}
