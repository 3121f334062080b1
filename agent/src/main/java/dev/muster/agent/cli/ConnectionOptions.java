package dev.muster.agent.cli;

import dev.muster.agent.AgentClient;
import dev.muster.agent.Peer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Defines the options of all commands: server, workspace, token file and state folder. */
final class ConnectionOptions {

  private static final Pattern ID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final int MAX_CANDIDATES = 20;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "the url of the server (default: ${DEFAULT-VALUE})")
  private String url = "http://127.0.0.1:8080";

  @Option(
      names = "--workspace-id",
      paramLabel = "ID",
      required = true,
      description = "the workspace that this agent speaks for")
  private String workspaceId = "";

  @Option(
      names = "--token",
      description =
          "its token; others on the machine can read a command line: prefer the variable or the"
              + " file")
  private @Nullable String token;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "where the token is kept (default: token in the state folder)")
  private @Nullable Path tokenFile;

  @Option(
      names = "--state-dir",
      paramLabel = "FOLDER",
      description = "keeps token and cursor (default: ~/.muster-agent/<workspace id>)")
  private @Nullable Path stateDir;

  @Option(
      names = "--quiet",
      description = "print errors only (default: one line for each event, with its time)")
  void quiet(boolean quiet) {
    if (quiet) {
      LineLog.beQuiet();
    }
  }

  AgentClient client() {
    AgentClient.Builder builder = AgentClient.builder(url, workspaceId).tokenFile(tokenFile());
    return token == null ? builder.build() : builder.token(token).build();
  }

  Path stateDir() {
    return stateDir != null ? stateDir : Path.of(userHome(), ".muster-agent", workspaceId.strip());
  }

  private static String userHome() {
    String home = Objects.requireNonNullElse(System.getenv("HOME"), "");
    return home.isEmpty() ? System.getProperty("user.home") : home;
  }

  private Path tokenFile() {
    return tokenFile != null ? tokenFile : stateDir().resolve("token");
  }

  /**
   * Resolves a peer to its id.
   *
   * @param to the id of the peer, or its name if no other peer has the same
   * @throws IllegalArgumentException when no peer or several match; the text lists candidates
   */
  static String peerId(AgentClient client, String to) {
    String wanted = to.strip();
    if (ID.matcher(wanted).matches()) {
      return wanted;
    }
    List<Peer> peers = client.peers();
    List<Peer> named = peers.stream().filter(peer -> peer.name().equals(wanted)).toList();
    if (named.size() == 1) {
      return named.getFirst().id();
    }
    List<Peer> candidates = named.isEmpty() ? peers : named;
    String list =
        candidates.stream()
            .limit(MAX_CANDIDATES)
            .map(peer -> "\n  " + peer.id() + " " + peer.name())
            .collect(Collectors.joining());
    int more = candidates.size() - MAX_CANDIDATES;
    throw new IllegalArgumentException(
        "--to: \"%s\" is the name of %s peer (expected: an id, or a name that one peer has)%s%s%s"
            .formatted(
                wanted,
                named.isEmpty() ? "no" : "more than one",
                candidates.isEmpty() ? "; there are no peers" : "; candidates:",
                list,
                more > 0 ? "\n  and " + more + " more" : ""));
  }

  /** Returns the environment variables for a command that calls this program again. */
  Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("MUSTER_URL", url);
    variables.put("MUSTER_WORKSPACE_ID", workspaceId);
    variables.put("MUSTER_STATE_DIR", stateDir().toAbsolutePath().toString());
    variables.put("MUSTER_TOKEN_FILE", tokenFile().toAbsolutePath().toString());
    if (token != null) {
      variables.put("MUSTER_TOKEN", token);
    }
    return variables;
  }
}
