package dev.muster.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class AgentVersionTest {

  private final Properties build = new Properties();
  private final Properties git = new Properties();

  @Test
  void tellsVersionAndCommit() {
    build.setProperty("build.version", "1.2.3");
    git.setProperty("git.commit.id.abbrev", "0a1b2c3");

    assertThat(AgentVersion.text(build, git)).isEqualTo("muster-agent 1.2.3 (commit 0a1b2c3)");
  }

  @Test
  void leavesOutWhatTheBuildDidNotKnow() {
    assertThat(AgentVersion.text(build, git)).isEqualTo("muster-agent (unknown version)");
  }
}
