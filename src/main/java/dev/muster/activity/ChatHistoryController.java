package dev.muster.activity;

import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/**
 * What people at the canvas and the agent said to each other, as a canvas shows it; what agents say
 * to each other is not in it.
 */
@RestController
class ChatHistoryController {

  private final FeedReader reader;
  private final Workspaces workspaces;
  private final ResponseMemory memory;
  private final JsonMapper json;

  ChatHistoryController(
      FeedReader reader, Workspaces workspaces, ResponseMemory memory, JsonMapper json) {
    this.reader = reader;
    this.workspaces = workspaces;
    this.memory = memory;
    this.json = json;
  }

  /** Oldest first; {@code reachedEnd} is whether nothing older is kept. */
  record ChatHistory(List<ChatMessage> messages, boolean reachedEnd) {}

  /**
   * A page of whole rows, the newest before {@code before_ts}. The first message is that of the
   * oldest row, so with its timestamp the next page goes on without gap or repeat.
   */
  @GetMapping("/workspaces/{id}/chat-history")
  @RouteAccess(CallerKind.VIEWER)
  ChatHistory read(Caller caller, @PathVariable UUID id, HttpServletRequest request) {
    FeedQuery query = FeedQuery.readChat(request);
    workspaces.requireReaderOf(id, caller);
    List<StoredActivity> rows = reader.conversation(id, query, memory.of(request));
    boolean reachedEnd = rows.isEmpty() || !reader.hasConversationBefore(id, rows.getLast().seq());
    List<ChatMessage> messages =
        rows.reversed().stream()
            .flatMap(row -> ChatMessage.of(row, json))
            .sorted(Comparator.comparing(ChatMessage::timestamp))
            .toList();
    return new ChatHistory(messages, reachedEnd);
  }
}
