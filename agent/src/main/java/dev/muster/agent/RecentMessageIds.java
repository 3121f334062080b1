package dev.muster.agent;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/** Keeps the ids of the last 1,000 handled messages. Not thread-safe. */
final class RecentMessageIds {

  static final int MAX_IDS = 1_000;

  private final LinkedHashSet<String> ids = new LinkedHashSet<>();

  RecentMessageIds(Collection<String> oldestFirst) {
    oldestFirst.forEach(this::add);
  }

  boolean contains(String id) {
    return ids.contains(id);
  }

  void add(String id) {
    ids.addLast(id);
    if (ids.size() > MAX_IDS) {
      ids.removeFirst();
    }
  }

  List<String> oldestFirst() {
    return List.copyOf(ids);
  }
}
