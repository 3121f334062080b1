package dev.muster.message.flow;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.util.List;

/**
 * Two servers of one database, in which only a command ends the pause after a failed attempt: no
 * time, and no answer or heartbeat of the agent, which come at times that the model does not know.
 */
public final class ModelServers implements AutoCloseable {

  private static final String STOP_PAUSES =
      """
      CREATE FUNCTION stop_pause() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
          IF NEW.owner IS NULL AND NEW.due_at > statement_timestamp() + interval '2 seconds' AND NEW.due_at < %1$s THEN
              NEW.due_at := %1$s + (NEW.due_at - statement_timestamp());
          END IF;
          RETURN NEW;
      END $$;
      CREATE TRIGGER stop_pauses BEFORE UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION stop_pause();
      CREATE FUNCTION forget_call() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER forget_calls BEFORE INSERT ON unanswered_calls FOR EACH ROW EXECUTE FUNCTION forget_call()
      """
          .formatted(ModelView.AFTER_ALL_TESTS);

  private final TestDatabase database;
  private final List<TestServer> servers;

  public ModelServers(TestDatabase database) {
    this.database = database;
    this.servers = List.of(start(database), start(database));
    database.execute(STOP_PAUSES);
  }

  private static TestServer start(TestDatabase database) {
    return TestServer.startOn(
        database,
        "AGENT_URL_ALLOW=loopback",
        "A2A_DELEGATE_MAX_ATTEMPTS=1",
        "STALE_AFTER_S=86400",
        // eight runs share them, and a command whose outcome is unknown (R0.6) ends its run
        "spring.datasource.hikari.maximum-pool-size=20");
  }

  TestDatabase database() {
    return database;
  }

  TestClient client(int server) {
    return servers.get(server).client();
  }

  <T> T bean(int server, Class<T> type) {
    return servers.get(server).bean(type);
  }

  @Override
  public void close() {
    servers.forEach(TestServer::close);
  }
}
