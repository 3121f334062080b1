package dev.muster.agent.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Prints the version, and the commit if the build knew it, for {@code --version}. */
final class AgentVersion implements IVersionProvider {

  @Override
  public String[] getVersion() throws IOException {
    Properties build = new Properties();
    try (InputStream in = AgentVersion.class.getResourceAsStream("version.properties")) {
      if (in != null) {
        build.load(in);
      }
    }
    return new String[] {text(build)};
  }

  static String text(Properties build) {
    String commit = build.getProperty("commit", "");
    return "muster-agent "
        + build.getProperty("version", "(unknown version)")
        + (commit.isEmpty() ? "" : " (commit " + commit + ")");
  }
}
