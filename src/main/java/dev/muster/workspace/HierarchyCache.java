package dev.muster.workspace;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.settings.SecuritySettings;
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
 * Keeps the hierarchy in memory, for frequent checks of which workspaces may talk (R3.4).
 *
 * <p>The first use loads it. Afterwards it follows the recorded events, since every change of the
 * hierarchy records one. So it is as new as the newest event that this replica shows. Removed
 * workspaces stay in it, so that their peers receive the event of the removal.
 */
@Component
public class HierarchyCache implements RecordedEventListener {

  private static final String ALL = "SELECT id, parent_id FROM workspaces";

  private static final String SOME =
      "SELECT id, parent_id FROM workspaces WHERE id = ANY (:ids::uuid[])";

  private static final Set<String> MAY_CHANGE_A_PARENT =
      Set.of(EventType.WORKSPACE_AWAITING_AGENT.name(), EventType.WORKSPACE_UPDATED.name());

  /** The most steps of a walk upwards, so that a cycle ends; no real hierarchy is as deep. */
  private static final int MAX_DEPTH = 1000;

  /** Stands for "no parent", since the map cannot hold null. */
  private static final UUID NONE = new UUID(0, 0);

  private final JdbcClient db;
  private final boolean rootsAreSiblings;
  private final Map<UUID, UUID> parents = new ConcurrentHashMap<>();
  private volatile boolean loaded;

  HierarchyCache(JdbcClient db, SecuritySettings settings) {
    this.db = db;
    this.rootsAreSiblings = settings.security().rootsAreSiblings();
  }

  /** As {@link Hierarchy#mayTalk}, except that removed workspaces still count. */
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

  /** Returns all workspaces that {@code one} may talk to, itself and removed ones included. */
  public List<UUID> peersOf(UUID one) {
    load();
    return parents.keySet().stream().filter(other -> mayTalk(one, other)).toList();
  }

  /**
   * Reads changed parents again. It waits for a load in progress, which may have missed these
   * changes.
   */
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

  /** Loads the hierarchy if needed; fails when the database does not answer. */
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
    for (int steps = 0; steps < MAX_DEPTH && at != null && !at.equals(NONE); steps++) {
      if (at.equals(ancestor)) {
        return true;
      }
      at = parents.get(at);
    }
    return false;
  }
}
