package dev.muster.a2a.queue;

import dev.muster.MusterApplication;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A server whose attempts never end by themselves. They leave a row in the table {@code tried}, and
 * another when they are interrupted and then still try to end their message.
 */
final class StuckServer {

  public static void main(String[] arguments) {
    SpringApplication.run(new Class<?>[] {MusterApplication.class, StuckServer.class}, arguments);
  }

  @Bean
  @Primary
  QueuedDelivery stuck(JdbcClient db, MessageQueue queue, TransactionTemplate transactions) {
    return new QueuedDelivery() {
      @Override
      public Attempt attempt(Claimed claimed) {
        note(db, "begun");
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          QueueEnd end =
              new QueueEnd(
                  claimed.message().queueId(), claimed.owner(), EndState.FAILED, "too late");
          boolean ours = transactions.execute(status -> !queue.endAll(List.of(end)).isEmpty());
          note(db, ours ? "ended its own" : "was not its own");
        }
        return new Attempt.Later("interrupted");
      }

      @Override
      public void ended(List<EndedUnsent> rows) {}
    };
  }

  private static void note(JdbcClient db, String what) {
    db.sql("INSERT INTO tried (what) VALUES (:what)").param("what", what).update();
  }
}
