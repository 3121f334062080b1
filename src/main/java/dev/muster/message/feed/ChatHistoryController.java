package dev.muster.message.feed;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.message.store.ReadPositions;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the conversation between the canvas and an agent. Messages between agents are not in it.
 */
@RestController
class ChatHistoryController {

  private final FeedReader reader;
  private final ReadPositions positions;
  private final Workspaces workspaces;
  private final ResponseMemory memory;
  private final JsonMapper json;

  ChatHistoryController(
      FeedReader reader,
      ReadPositions positions,
      Workspaces workspaces,
      ResponseMemory memory,
      JsonMapper json) {
    this.reader = reader;
    this.positions = positions;
    this.workspaces = workspaces;
    this.memory = memory;
    this.json = json;
  }

  /**
   * A page, oldest message first.
   *
   * @param reachedEnd whether no older message is kept
   * @param readSeq the {@code seq} up to which the agent is known to have read its feed
   * @param beforeTs of the next page, where this one has no message and is not the last
   */
  record ChatHistory(
      List<ChatMessage> messages,
      boolean reachedEnd,
      long readSeq,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant beforeTs) {}

  /**
   * Returns the newest rows before {@code before_ts}, each with all of its messages. The first
   * message is the one of the oldest row. So its timestamp as {@code before_ts} gives the next page
   * without gap or overlap.
   */
  @GetMapping("/workspaces/{id}/chat-history")
  @RouteAccess(CallerKind.VIEWER)
  ChatHistory read(Caller caller, @PathVariable UUID id, HttpServletRequest request) {
    FeedQuery query = FeedQuery.readChat(request);
    workspaces.requireReaderOf(id, caller);
    long readSeq = positions.of(id);
    FeedReader.Conversation found = reader.conversation(id, query, memory.of(request));
    List<ChatMessage> messages =
        found.page().rows().reversed().stream()
            .flatMap(row -> ChatMessage.of(row, json))
            .sorted(Comparator.comparing(ChatMessage::timestamp))
            .toList();
    @Nullable Instant beforeTs =
        messages.isEmpty()
            ? found.page().end().map(FeedPages.ReadEnd::createdAt).orElse(null)
            : null;
    return new ChatHistory(messages, found.isLast(), readSeq, beforeTs);
  }
}
