package dev.muster.workspace;

import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.RawJson;
import java.util.Optional;
import java.util.UUID;

/** Holds the data of a workspace to be created. */
record NewWorkspace(
    UUID id,
    String name,
    Optional<String> role,
    int tier,
    Optional<UUID> parentId,
    String runtime,
    DeliveryChoice delivery,
    int maxConcurrentTasks,
    Optional<RawJson> agentCard,
    double x,
    double y) {

  static final int MAX_ROLE_LENGTH = 1000;
  static final int MAX_RUNTIME_LENGTH = 64;
  static final int MAX_TIER = 100;
  static final int MAX_TASKS = 10_000;
  static final double MAX_COORDINATE = 1e9;
  static final int DEFAULT_TIER = 3;
  static final String DEFAULT_RUNTIME = "external";

  /** Reads the body of a creation; refuses missing fields and wrong types. */
  static NewWorkspace read(JsonBody body) {
    String name = WorkspaceName.required(body);
    body.flag("external"); // accepted for compatibility: every workspace is external
    Optional<JsonBody> canvas = body.object("canvas");
    Optional<RawJson> card = body.rawObject("agent_card");
    DeliveryChoice delivery =
        DeliveryChoice.of(
            DeliveryMode.sent(body),
            body.text("url", AgentUrls.MAX_LENGTH).filter(url -> !url.isEmpty()),
            Optional.empty(),
            card);
    return new NewWorkspace(
        body.id("id").orElseGet(UUID::randomUUID),
        name,
        body.text("role", MAX_ROLE_LENGTH).filter(role -> !role.isEmpty()),
        body.integer("tier", 0, MAX_TIER).orElse(DEFAULT_TIER),
        body.id("parent_id"),
        body.text("runtime", MAX_RUNTIME_LENGTH).filter(r -> !r.isBlank()).orElse(DEFAULT_RUNTIME),
        delivery,
        body.integer("max_concurrent_tasks", 1, MAX_TASKS).orElse(1),
        card,
        canvas.flatMap(c -> c.number("x", -MAX_COORDINATE, MAX_COORDINATE)).orElse(0.0),
        canvas.flatMap(c -> c.number("y", -MAX_COORDINATE, MAX_COORDINATE)).orElse(0.0));
  }

  /** Returns the row of an unknown agent, inserted before its registration is stored. */
  static NewWorkspace ofRegistration(UUID id, String name) {
    return new NewWorkspace(
        id,
        name,
        Optional.empty(),
        DEFAULT_TIER,
        Optional.empty(),
        DEFAULT_RUNTIME,
        new DeliveryChoice(DeliveryMode.POLL, false, "", Optional.empty(), false),
        1,
        Optional.empty(),
        0,
        0);
  }
}
