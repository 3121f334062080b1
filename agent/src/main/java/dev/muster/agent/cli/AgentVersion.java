package dev.muster.agent.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** Prints the version, and the commit if the build knew it, for {@code --version}. */
final class AgentVersion implements IVersionProvider {

  @Override
  public String[] getVersion() throws IOException {
    return new String[] {
      text(properties("/META-INF/build-info.properties"), properties("/git.properties"))
    };
  }

  static String text(Properties build, Properties git) {
    @Nullable String commit = git.getProperty("git.commit.id.abbrev");
    return "muster-agent "
        + build.getProperty("build.version", "(unknown version)")
        + (commit == null ? "" : " (commit " + commit + ")");
  }

  private static Properties properties(String resource) throws IOException {
    Properties properties = new Properties();
    try (InputStream in = AgentVersion.class.getResourceAsStream(resource)) {
      if (in != null) {
        properties.load(in);
      }
    }
    return properties;
  }
}
