package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.TestDatabases;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class PipelineTest {

  private static final String INSERT = "INSERT INTO said (word) SELECT unnest(?::text[])";

  private SingleConnectionDataSource connection;
  private JdbcTemplate db;
  private StatementPipeline pipeline;

  @BeforeEach
  void connect() {
    String url = TestDatabases.create().url();
    connection =
        new SingleConnectionDataSource(
            url + "&socketFactory=" + CountedSockets.class.getName(), true);
    db = new JdbcTemplate(connection);
    db.execute("CREATE TABLE said (word text NOT NULL)");
    db.execute("CREATE SEQUENCE numbers");
    pipeline = new StatementPipeline(db);
  }

  @AfterEach
  void disconnect() {
    connection.destroy();
  }

  @Test
  void eachStatementSeesTheEffectsOfEarlierOnes() {
    List<Integer> counts = new ArrayList<>();
    say("left", "left", "right");
    var words = pipeline.query("SELECT word FROM said", StatementPipeline.Parameters.NONE, words());
    pipeline.update(
        "DELETE FROM said WHERE word = ANY (?)",
        columns -> columns.texts(List.of("left"), word -> word),
        counts::add);
    var rest = pipeline.query("SELECT word FROM said", StatementPipeline.Parameters.NONE, words());
    pipeline.run();

    assertThat(words.get()).containsExactly("left", "left", "right");
    assertThat(counts).containsExactly(2);
    assertThat(rest.get()).containsExactly("right");
  }

  /** Also when the driver uses a server-side prepared statement, from the fifth time on. */
  @Test
  void takesOneRoundTrip() {
    for (int i = 0; i < 10; i++) {
      int before = CountedSockets.WRITES.get();
      say("left");
      say("right");
      var words =
          pipeline.query(
              "SELECT word FROM said LIMIT 1", StatementPipeline.Parameters.NONE, words());
      pipeline.run();

      assertThat(words.get()).containsExactly("left");
      assertThat(CountedSockets.WRITES.get() - before).isEqualTo(1);
    }
    assertThat(
            db.queryForObject(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%INSERT%'",
                Integer.class))
        .isEqualTo(2);
  }

  @Test
  void runsNoStatementAfterAFailure() {
    say("left");
    pipeline.add(INSERT, columns -> columns.texts(List.of("null"), _ -> null));
    pipeline.add("SELECT nextval('numbers')", StatementPipeline.Parameters.NONE);

    assertThatThrownBy(pipeline::run).isInstanceOf(DataIntegrityViolationException.class);
    assertThat(db.queryForObject("SELECT is_called FROM numbers", Boolean.class)).isFalse();
    assertThat(db.queryForObject("SELECT count(*) FROM said", Integer.class)).isZero();
  }

  @Test
  void runsEachStatementOnce() {
    say("left");
    pipeline.run();
    say("right");
    pipeline.run();
    pipeline.run();

    assertThat(db.query("SELECT word FROM said", words())).containsExactly("left", "right");
  }

  @Test
  void hasNoResultBeforeItRan() {
    var words = pipeline.query("SELECT word FROM said", StatementPipeline.Parameters.NONE, words());

    assertThatThrownBy(words::get).hasMessageContaining("has not run");
  }

  private void say(String... words) {
    pipeline.add(INSERT, columns -> columns.texts(List.of(words), word -> word));
  }

  private static RowMapper<String> words() {
    return (row, n) -> row.getString("word");
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
