package dev.muster.workspace;

import dev.muster.platform.json.RawJson;
import java.util.Optional;
import java.util.UUID;

/** A workspace about to exist. */
record NewWorkspace(
    UUID id,
    String name,
    Optional<String> role,
    int tier,
    Optional<UUID> parentId,
    String runtime,
    String url,
    DeliveryMode deliveryMode,
    int maxConcurrentTasks,
    Optional<RawJson> agentCard,
    double x,
    double y) {

  static final int DEFAULT_TIER = 3;
  static final String DEFAULT_RUNTIME = "external";

  /** The row of an agent that registers by itself, before its registration is stored. */
  static NewWorkspace ofRegistration(UUID id, String name) {
    return new NewWorkspace(
        id,
        name,
        Optional.empty(),
        DEFAULT_TIER,
        Optional.empty(),
        DEFAULT_RUNTIME,
        "",
        DeliveryMode.POLL,
        1,
        Optional.empty(),
        0,
        0);
  }
}
