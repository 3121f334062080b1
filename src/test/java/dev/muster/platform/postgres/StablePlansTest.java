package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.postgres.TimelyConnections.TimelyStatements;
import dev.muster.testing.TestDatabases;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What {@code StatementPlansTest} does not see of statements that have stable plans. */
class StablePlansTest {

  private static final String MODE = "SELECT current_setting('plan_cache_mode')";
  private static final String OF_RUN =
      StablePlans.of("SELECT current_setting('plan_cache_mode') || :word");
  private static final String SAY =
      StablePlans.of("INSERT INTO said (word) SELECT unnest(?::text[]) RETURNING word");

  private SingleConnectionDataSource connection;
  private TimelyConnections source;
  private JdbcTemplate db;

  @BeforeEach
  void connect() {
    connection =
        new SingleConnectionDataSource(
            TestDatabases.create().url() + "&socketFactory=" + CountedSockets.class.getName(),
            true);
    source = new TimelyConnections(connection);
    db = new TimelyStatements(source, new Pooler(false));
    db.execute("CREATE TABLE said (word text NOT NULL)");
  }

  @AfterEach
  void disconnect() {
    connection.destroy();
  }

  /** Also when the driver uses a server-side prepared statement, from the fifth time on. */
  @Test
  void areSentInOneRoundTrip() {
    for (int i = 0; i < 10; i++) {
      int before = CountedSockets.WRITES.get();

      assertThat(say("left", "right")).containsExactly("left", "right");
      assertThat(CountedSockets.WRITES.get() - before).isEqualTo(1);
    }
    assertThat(prepared("%INSERT%")).isEqualTo(1);
    assertThat(db.queryForObject("SELECT count(*) FROM said", Integer.class)).isEqualTo(20);
  }

  @Test
  void endWithTheStatement() {
    new TransactionTemplate(new JdbcTransactionManager(source))
        .executeWithoutResult(_ -> {
          assertThat(
                  JdbcClient.create(db).sql(OF_RUN).param("word", "!").query(String.class).single())
              .isEqualTo("force_generic_plan!");
          assertThat(db.queryForObject(MODE, String.class)).isEqualTo("auto");
        });
  }

  @Test
  void endWithAStatementThatFails() {
    assertThatThrownBy(() -> say("left", null)).isInstanceOf(DataIntegrityViolationException.class);

    assertThat(db.queryForObject(MODE, String.class)).isEqualTo("auto");
    assertThat(db.queryForObject("SELECT count(*) FROM said", Integer.class)).isZero();
  }

  /** As behind a pooler that does not keep prepared statements. */
  @Test
  void areNotPreparedWhereTheUrlForbidsIt() {
    String url = connection.getUrl() + "&prepareThreshold=0";
    connection.destroy();
    connection = new SingleConnectionDataSource(url, true);
    db = new TimelyStatements(new TimelyConnections(connection), new Pooler(false));
    for (int i = 0; i < 10; i++) {
      assertThat(say("left")).containsExactly("left");
    }

    assertThat(prepared("%")).isZero();
  }

  @Test
  void areForStatementsThatReturnRows() {
    String sql = StablePlans.of("INSERT INTO said (word) VALUES (?)");

    assertThatThrownBy(() -> db.query(sql, (row, _) -> row.getString(1), "left"))
        .hasMessageContaining("returned a count, not rows");
  }

  /** From the fifth run on, and not before: a connection often ends earlier. */
  @Test
  void areTheOnlyOnesOfStatementsThatReadNoTable() {
    String insert = StablePlans.ofNoTable("INSERT INTO said (word) VALUES (:word)");
    for (int i = 0; i < 10; i++) {
      JdbcClient client = JdbcClient.create(db);
      assertThat(client.sql(insert).param("word", "left").update()).isEqualTo(1);
      assertThat(
              client
                  .sql(insert + " RETURNING word")
                  .param("word", "right")
                  .query(String.class)
                  .single())
          .isEqualTo("right");
      assertThat(client.sql("SELECT count(*) FROM said").query(Integer.class).single())
          .isEqualTo(2 * i + 2);
    }

    assertThat(prepared("%INSERT%")).isEqualTo(2);
    assertThat(prepared("%count%FROM said%")).isZero();
  }

  private List<String> say(@Nullable String... words) {
    return db.query(
        SAY,
        statement -> statement.setArray(1, statement.getConnection().createArrayOf("text", words)),
        (row, _) -> row.getString("word"));
  }

  private @Nullable Integer prepared(String like) {
    return db.queryForObject(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '" + like + "'",
        Integer.class);
  }

  /** Counts the writes to the socket. */
  public static final class CountedSockets extends SocketFactory {

    static final AtomicInteger WRITES = new AtomicInteger();

    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public OutputStream getOutputStream() throws IOException {
          return new FilterOutputStream(super.getOutputStream()) {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
              WRITES.incrementAndGet();
              out.write(bytes, from, length);
            }
          };
        }
      };
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }
  }
}
