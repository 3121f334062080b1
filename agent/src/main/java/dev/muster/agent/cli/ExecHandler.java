package dev.muster.agent.cli;

import dev.muster.agent.AgentClient;
import dev.muster.agent.InboundMessage;
import dev.muster.agent.MessageHandler;
import dev.muster.agent.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Handles each message with one process of a shell command. */
final class ExecHandler implements MessageHandler {

  private static final Logger log = LoggerFactory.getLogger(ExecHandler.class);

  /** The variable of the option of {@code delegate}; blank for none. */
  private static final String PARENT_DELEGATION = "MUSTER_PARENT_DELEGATION";

  private static final int MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
  private static final int LAST_LINES = 5;
  private static final int MAX_ERROR_LENGTH = 1_000;

  private final String command;
  private final Duration limit;
  private final Map<String, String> variables;
  private final Waits waits;

  // guarded by this
  private @Nullable Process running;
  private boolean stopped;

  ExecHandler(String command, Duration limit, Map<String, String> variables, Waits waits) {
    this.command = command;
    this.limit = limit;
    this.variables = Map.copyOf(variables);
    this.waits = waits;
  }

  /** Kills the running command and prevents later ones. */
  synchronized void stop() {
    stopped = true;
    if (running != null) {
      kill(running);
    }
  }

  @Override
  public Reply handle(InboundMessage message, AgentClient client)
      throws IOException, InterruptedException {
    if (isAwaitedAnswer(message)) {
      log.info(
          "message {} is an awaited answer: the command does not get it", message.activityId());
      return Reply.none();
    }
    Path input = Files.createTempFile("muster-in-", ".json");
    Path output = Files.createTempFile("muster-out-", ".txt");
    Path errors = Files.createTempFile("muster-err-", ".txt");
    try {
      Files.writeString(input, json(message));
      run(message.delegationId(), input, output, errors);
      return Reply.of(text(output, false));
    } finally {
      Files.deleteIfExists(input);
      Files.deleteIfExists(output);
      Files.deleteIfExists(errors);
    }
  }

  private boolean isAwaitedAnswer(InboundMessage message) throws IOException, InterruptedException {
    for (String id : new LinkedHashSet<>(List.of(message.delegationId(), message.replyTo()))) {
      if (!id.isEmpty() && waits.wasReported(id)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Runs the command with files as its streams. A pipe could block on large output, or stay open in
   * a process that the command leaves behind.
   */
  private void run(String delegationId, Path input, Path output, Path errors)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of("sh", "-c", command))
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().putAll(variables);
    builder.environment().put(PARENT_DELEGATION, delegationId);
    Process process = started(builder);
    try {
      boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        kill(process);
        throw failed("took longer than " + limit.toSeconds() + " s", errors);
      }
      if (isStopped()) {
        throw new InterruptedException("the agent is stopping");
      }
      if (process.exitValue() != 0) {
        throw failed("ended with " + process.exitValue(), errors);
      }
      System.err.write(Files.readAllBytes(errors));
      System.err.flush();
    } finally {
      kill(process);
      ended();
    }
  }

  private synchronized Process started(ProcessBuilder builder)
      throws IOException, InterruptedException {
    if (stopped) {
      throw new InterruptedException("the agent is stopping");
    }
    Process process = builder.start();
    running = process;
    return process;
  }

  private synchronized boolean isStopped() {
    return stopped && running != null && !running.isAlive() && running.exitValue() != 0;
  }

  private synchronized void ended() {
    running = null;
  }

  /** Kills a process and its descendants. */
  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static IllegalStateException failed(String how, Path errors) throws IOException {
    String said = text(errors, true);
    return new IllegalStateException("the command " + how + (said.isEmpty() ? "" : ": " + said));
  }

  private static String text(Path file, boolean endOnly) throws IOException {
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      if (endOnly) {
        in.skipNBytes(Math.max(0, Files.size(file) - MAX_ERROR_LENGTH));
      }
      bytes = in.readNBytes(MAX_OUTPUT_BYTES);
    }
    String text = new String(bytes, StandardCharsets.UTF_8).stripTrailing();
    List<String> lines = text.lines().toList();
    return endOnly
        ? String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()))
        : text;
  }

  private static String json(InboundMessage message) {
    ObjectNode json =
        JsonMapper.shared()
            .createObjectNode()
            .put("message_id", message.messageId())
            .put("activity_id", message.activityId())
            .put("source", message.sourceWord())
            .put("source_id", message.sourceId())
            .put("text", message.text())
            .put("delegation_id", message.delegationId())
            .put("reply_to", message.replyTo());
    json.set("raw", message.raw());
    return json + "\n";
  }
}
