package dev.muster.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class AgentVersionTest {

  private final Properties build = new Properties();

  @Test
  void printsVersionAndCommit() {
    build.setProperty("version", "1.2.3");
    build.setProperty("commit", "0a1b2c3");

    assertThat(AgentVersion.text(build)).isEqualTo("muster-agent 1.2.3 (commit 0a1b2c3)");
  }

  @Test
  void leavesOutUnknownBuildFacts() {
    build.setProperty("commit", "");

    assertThat(AgentVersion.text(build)).isEqualTo("muster-agent (unknown version)");
  }
}
