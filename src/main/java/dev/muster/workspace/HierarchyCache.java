package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.event.RecordedEventListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The tree of workspaces in memory, for those who ask who may talk to whom (R3.4) many times a
 * second.
 *
 * <p>It is read when it is first asked, and follows the recorded events: whatever changes the tree
 * records one, so the tree is as new as the newest event that this replica shows. Removed
 * workspaces keep their place in it, so that their family hears of their end.
 */
@Component
public class HierarchyCache implements RecordedEventListener {

  private static final String ALL = "SELECT id, parent_id FROM workspaces";

  private static final String SOME =
      "SELECT id, parent_id FROM workspaces WHERE id = ANY (:ids::uuid[])";

  private static final Set<String> MAY_CHANGE_A_PARENT =
      Set.of(EventType.WORKSPACE_AWAITING_AGENT.name(), EventType.WORKSPACE_UPDATED.name());

  /** Deeper than any tree of people's making; what it bounds is a walk along a cycle. */
  private static final int DEEPEST = 1000;

  /** Stands for "no parent": the map knows no null. */
  private static final UUID NONE = new UUID(0, 0);

  private final JdbcClient db;
  private final boolean rootsAreSiblings;
  private final Map<UUID, UUID> parents = new ConcurrentHashMap<>();
  private volatile boolean loaded;

  HierarchyCache(JdbcClient db, WorkspaceSettings settings) {
    this.db = db;
    this.rootsAreSiblings = settings.rootsAreSiblings();
  }

  /** As {@link Hierarchy#mayTalk}, but that removed workspaces still count. */
  public boolean mayTalk(UUID one, UUID other) {
    load();
    @Nullable UUID parent = parents.get(one);
    @Nullable UUID otherParent = parents.get(other);
    if (parent == null || otherParent == null) {
      return false;
    }
    boolean siblings = parent.equals(otherParent) && (rootsAreSiblings || !parent.equals(NONE));
    return one.equals(other) || siblings || isAbove(one, other) || isAbove(other, one);
  }

  /** Waits for a load that is under way: what it did not see any more must be read again. */
  @Override
  public synchronized void follow(List<RecordedEvent> events) {
    if (!loaded) {
      return;
    }
    UUID[] mayHaveMoved =
        events.stream()
            .filter(event -> event.workspaceId() != null)
            .filter(event ->
                MAY_CHANGE_A_PARENT.contains(event.eventType())
                    || !parents.containsKey(event.workspaceId()))
            .map(RecordedEvent::workspaceId)
            .distinct()
            .toArray(UUID[]::new);
    if (mayHaveMoved.length > 0) {
      parents.putAll(read(db.sql(SOME).param("ids", mayHaveMoved)));
    }
  }

  /** Reads the tree if that was not done yet: fails when the database cannot answer. */
  public void load() {
    if (!loaded) {
      synchronized (this) {
        if (!loaded) {
          parents.putAll(read(db.sql(ALL)));
          loaded = true;
        }
      }
    }
  }

  private static Map<UUID, UUID> read(JdbcClient.StatementSpec statement) {
    Map<UUID, UUID> read = new HashMap<>();
    statement.query(row -> {
      @Nullable UUID parent = row.getObject("parent_id", UUID.class);
      read.put(row.getObject("id", UUID.class), parent == null ? NONE : parent);
    });
    return read;
  }

  private boolean isAbove(UUID ancestor, UUID below) {
    @Nullable UUID at = parents.get(below);
    for (int steps = 0; steps < DEEPEST && at != null && !at.equals(NONE); steps++) {
      if (at.equals(ancestor)) {
        return true;
      }
      at = parents.get(at);
    }
    return false;
  }
}
