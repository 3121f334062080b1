package org.example;

import dev.muster.agent.AgentClient;
import dev.muster.agent.AgentLoop;
import dev.muster.agent.PollDelivery;
import dev.muster.agent.Registration;
import java.nio.file.Path;

/** A whole agent, which answers each message with its text. */
public final class Echo {

  private Echo() {}

  /** Runs until the agent is stopped, its workspace paused or removed, or its token revoked. */
  public static void main(String[] args) throws Exception {
    AgentClient client =
        AgentClient.builder(System.getenv("MUSTER_URL"), System.getenv("MUSTER_WORKSPACE_ID"))
            .tokenFile(Path.of("state", "token"))
            .build();
    AgentLoop.End why =
        AgentLoop.builder(client)
            .registration(Registration.polling("Echo"))
            .delivery(PollDelivery.builder(client).cursorFile(Path.of("state", "cursor")).build())
            .answering((message, muster) -> "you said " + message.text())
            .build()
            .run();
    System.out.println("ended: " + why);
  }
}
