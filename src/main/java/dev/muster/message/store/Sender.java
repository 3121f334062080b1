package dev.muster.message.store;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.Credentials;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a message (R7.1).
 *
 * @param workspaceId null for people at the canvas
 * @param owner whose share of the server's resources the message uses
 * @param author the name of the person, as given at the sign-in; null for workspaces, and for the
 *     admin token, which a canvas uses for all of its people
 */
public record Sender(@Nullable UUID workspaceId, Owner owner, @Nullable String author) {

  /** The canvas without a request. */
  public static final Sender CANVAS = new Sender(null);

  /** The headers by which clients name themselves; the server trusts only the credential. */
  private static final List<String> CLAIMS = List.of("X-Workspace-ID", "X-Source-Workspace-Id");

  /**
   * Creates the sender of a stored message, which no request waits for. Who of the people sent it
   * is not stored, so theirs are messages of the server.
   */
  public Sender(@Nullable UUID workspaceId) {
    this(
        workspaceId, workspaceId == null ? Owner.SERVER : new Owner.OfWorkspace(workspaceId), null);
  }

  /** Returns the sender; refuses with 401 a header that contradicts the credential. */
  public static Sender of(Caller caller, HttpServletRequest request) {
    return switch (caller) {
      case Caller.Admin() -> new Sender(null, RequestOwner.of(request), null);
      case Caller.Operator(_, String name) -> new Sender(null, RequestOwner.of(request), name);
      case Caller.Viewer _ -> throw AccessChecks.readsOnly();
      case Caller.Agent(UUID own) -> {
        CLAIMS.forEach(header -> requireNoOther(own, header, request));
        yield new Sender(own, RequestOwner.of(request), null);
      }
      case Caller.RemovedAgent(UUID own) -> throw Credentials.unknown();
      case Caller.Anonymous() -> throw Credentials.missing();
    };
  }

  private static void requireNoOther(UUID own, String header, HttpServletRequest request) {
    for (String claimed : Collections.list(request.getHeaders(header))) {
      if (!claimed.isEmpty() && !Ids.parse(claimed).equals(own)) {
        throw new ProblemException(
            ErrorCode.UNAUTHENTICATED,
            header + " is not the workspace of this token (expected: " + own + ", or no header)");
      }
    }
  }

  /** Returns the {@code source} value for rows and messages. */
  public String source() {
    return workspaceId == null ? "canvas_user" : "peer_agent";
  }
}
