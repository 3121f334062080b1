package dev.muster.message;

import dev.muster.message.store.MessageStore;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The feeds, for modules that add rows to them. */
@Service
public class Feeds {

  private final MessageStore store;

  Feeds(MessageStore store) {
    this.store = store;
  }

  /**
   * Appends in the caller's transaction; the feeds stay locked until it ends. Rows of one feed get
   * their {@code seq} in the given order.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<AppendResult> appendAll(List<NewActivity> rows) {
    return store.appendAll(rows);
  }

  /**
   * Locks these feeds in the caller's transaction. The caller must not lock an existing delegation
   * afterwards, since other transactions lock delegations before feeds.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public void lock(Set<UUID> workspaceIds) {
    store.lock(workspaceIds);
  }
}
