package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.testing.Race;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** Changes of the hierarchy are serialised: no cycle, no live child of a removed parent (R2.1). */
class HierarchyRaceTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void neverCreatesACycleByConcurrentMoves() {
    List<Agent> tree = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      tree.add(CLIENT.create("Node " + i));
    }
    Random random = new Random(42);
    int[][] moves = new int[200][];
    for (int i = 0; i < moves.length; i++) {
      moves[i] = new int[] {random.nextInt(tree.size()), random.nextInt(tree.size())};
    }

    List<Answer> answers =
        Race.run(moves.length, i -> moved(tree.get(moves[i][0]), tree.get(moves[i][1])));

    assertThat(answers).extracting(Answer::status).containsOnly(200, 422);
    answers.stream()
        .filter(answer -> answer.status() == 422)
        .forEach(answer -> assertThat(answer.field("code")).isEqualTo("PARENT_CYCLE"));
    for (Agent start : tree) {
      Set<String> seen = new HashSet<>();
      String at = start.id().toString();
      while (!at.isEmpty()) {
        assertThat(seen.add(at)).as("a cycle through " + at).isTrue();
        at = CLIENT.get("/workspaces/" + at, ADMIN_TOKEN).field("parent_id");
      }
    }
  }

  /** Two hundred at once are more than the database takes (R0.6). */
  private static Answer moved(Agent agent, Agent parent) {
    String body = "{\"parent_id\":\"" + parent.id() + "\"}";
    return CLIENT.patient().patch("/workspaces/" + agent.id(), ADMIN_TOKEN, body);
  }

  /**
   * The creation has found its parent and is not committed: a removal that does not wait for it
   * sees no child.
   */
  @Test
  void aBatchKeepsTheParentOfAChildThatIsBeingCreated() throws Exception {
    Agent parent = CLIENT.create("Parent");
    String child = "{\"name\":\"Child\",\"parent_id\":\"%s\"}".formatted(parent.id());
    NewWorkspace wanted = NewWorkspace.read(JsonBody.parse(child.getBytes(UTF_8)));
    TransactionTemplate transactions = SERVER.bean(TransactionTemplate.class);
    LifecycleBatches batches = SERVER.bean(LifecycleBatches.class);

    CompletableFuture<List<BatchResult>> removing =
        transactions.execute(_ -> {
          SERVER.bean(WorkspaceCreation.class).create(wanted);
          CompletableFuture<List<BatchResult>> begun =
              CompletableFuture.supplyAsync(
                  () ->
                      Objects.requireNonNull(
                          transactions.execute(_ -> batches.remove(List.of(parent.id())))),
                  Thread::startVirtualThread);
          Awaitility.await().until(() -> begun.isDone() || anyWaitsForTheHierarchy());
          return begun;
        });

    BatchResult removed = removing.get(30, TimeUnit.SECONDS).getFirst();
    assertThat(removed.refusal())
        .isNotNull()
        .extracting(ProblemException::code)
        .isEqualTo(ErrorCode.CONFIRMATION_REQUIRED);
    assertThat(CLIENT.read(parent).path("status").asString()).isEqualTo("awaiting_agent");
  }

  private static boolean anyWaitsForTheHierarchy() {
    return !SERVER
        .database()
        .value(
            """
            SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted
            """)
        .equals("0");
  }

  @Test
  void neverLeavesALiveChildOfARemovedParent() {
    for (int round = 0; round < 15; round++) {
      Agent parent = CLIENT.create("Parent");
      Agent outside = CLIENT.create("Outside");
      UUID created = UUID.randomUUID();

      List<Answer> answers =
          Race.run(
              4,
              i ->
                  switch (i) {
                    case 0 ->
                        CLIENT.delete("/workspaces/" + parent.id() + "?confirm=true", ADMIN_TOKEN);
                    case 1 ->
                        CLIENT.patch(
                            "/workspaces/" + outside.id(),
                            ADMIN_TOKEN,
                            "{\"parent_id\":\"" + parent.id() + "\"}");
                    case 2 ->
                        CLIENT.post(
                            "/workspaces",
                            ADMIN_TOKEN,
                            "{\"name\":\"Child\",\"id\":\"%s\",\"parent_id\":\"%s\"}"
                                .formatted(created, parent.id()));
                    default ->
                        CLIENT.post("/workspaces/" + parent.id() + "/pause", ADMIN_TOKEN, "");
                  });

      assertThat(answers.get(0).status()).isEqualTo(200);
      assertThat(answers.get(1).status()).isIn(200, 410, 422);
      assertThat(answers.get(2).status()).isIn(201, 422);
      assertThat(answers.get(3).status()).isIn(200, 409, 410);
      for (UUID child : List.of(outside.id(), created)) {
        Answer answer = CLIENT.get("/workspaces/" + child, ADMIN_TOKEN);
        assertThat(answer.field("parent_id")).isNotEqualTo(parent.id().toString());
      }
      assertThat(CLIENT.get("/workspaces?parent_id=" + parent.id(), ADMIN_TOKEN).text())
          .isEqualTo("[]");
    }
  }
}
