package dev.muster.agent;

import java.util.Locale;

/**
 * An agent as its author writes one, whose runtime a message can break: from then on its process is
 * wedged, until a supervisor starts it anew.
 */
public final class WedgingAgent {

  /** The message that breaks it. */
  public static final String BREAK = "break";

  /** What it says of itself then. */
  public static final String REASON = "Control request timeout: initialize";

  /** A supervisor starts it again after this exit code only. */
  public static final int RESTART = 75;

  private WedgingAgent() {}

  public static void main(String... args) {
    AgentClient client =
        AgentClient.builder(System.getenv("MUSTER_URL"), System.getenv("MUSTER_WORKSPACE_ID"))
            .token(System.getenv("MUSTER_TOKEN"))
            .build();
    AgentLoop.End end =
        AgentLoop.builder(client)
            .registration(Registration.polling("Reviewer 4711"))
            .answering((message, _) -> answer(message.text()))
            .build()
            .run();
    System.exit(end == AgentLoop.End.RESTART ? RESTART : 0);
  }

  private static String answer(String text) {
    if (text.equals(BREAK)) {
      RuntimeWedge.markWedged(REASON);
    }
    if (RuntimeWedge.isWedged()) {
      throw new IllegalStateException("the runtime does not answer");
    }
    return String.format(Locale.ROOT, "process %d: %s", ProcessHandle.current().pid(), text);
  }
}
