package dev.muster.bench;

import dev.muster.live.ReplicaKills;
import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The full form of the proof that killing either of two replicas loses and doubles no event, and
 * takes no live agent offline.
 *
 * <p>Arguments, all optional: kills (100), agents (200), watchers (24).
 */
public final class ReplicaKillBench {

  private ReplicaKillBench() {}

  public static void main(String[] args) throws Exception {
    int kills = args.length > 0 ? Integer.parseInt(args[0]) : 100;
    int agents = args.length > 1 ? Integer.parseInt(args[1]) : 200;
    int watchers = args.length > 2 ? Integer.parseInt(args[2]) : 24;
    Path folder = Files.createTempDirectory("muster-kills-");
    try (MusterHome home = MusterHome.open(folder.resolve("home"));
        EmbeddedDatabase postgres = EmbeddedDatabase.start(home);
        var program =
            new ReplicaKills(
                new ReplicaKills.Size(kills, agents, watchers),
                new TestDatabase(url(postgres)),
                folder.resolve("none"))) {
      System.out.println(program.run());
    }
  }

  private static String url(EmbeddedDatabase postgres) {
    return "%s?user=%s&password=%s"
        .formatted(postgres.jdbcUrl(), postgres.user(), postgres.password());
  }
}
