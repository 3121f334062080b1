package dev.muster.message.send;

import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;
import dev.muster.identity.Credentials;
import dev.muster.identity.RequestAuthentication;
import dev.muster.message.call.DeliverySettings;
import dev.muster.message.flow.Act;
import dev.muster.message.flow.DelegationReplies;
import dev.muster.message.flow.Message;
import dev.muster.message.flow.MessageFlow;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.Sender;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.http.PlainRoute;
import dev.muster.platform.http.RequestResources;
import dev.muster.platform.http.ResponseMemory;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.work.Pace;
import dev.muster.protocol.client.Deadline;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Receives requests to agents (R7.1). */
@RestController
class ProxyController implements PlainRoute {

  /** The answer of a stream that is written already. */
  private static final CompletableFuture<Answer> WRITTEN =
      CompletableFuture.completedFuture(response -> {});

  private static final int MAX_BODY_BYTES = 16 * 1024 * BodyReader.KIB;

  private final MessageFlow flow;
  private final DelegationReplies delegations;
  private final Workspaces workspaces;
  private final DeliverySettings settings;
  private final BodyReader bodies;
  private final NameWarnings names;
  private final LargeRequests large;
  private final ResponseMemory responses;
  private final Credentials credentials;
  private final Pace pace;

  ProxyController(
      MessageFlow flow,
      DelegationReplies delegations,
      Workspaces workspaces,
      DeliverySettings settings,
      BodyReader bodies,
      NameWarnings names,
      LargeRequests large,
      ResponseMemory responses,
      Credentials credentials,
      Pace pace) {
    this.flow = flow;
    this.delegations = delegations;
    this.workspaces = workspaces;
    this.settings = settings;
    this.bodies = bodies;
    this.names = names;
    this.large = large;
    this.responses = responses;
    this.credentials = credentials;
    this.pace = pace;
  }

  /** Reads the body itself, after the sender is known (the order of R1.4). */
  @PostMapping("/workspaces/{id}/a2a")
  @Override
  public CompletableFuture<? extends Answer> serve(
      HttpServletRequest request, HttpServletResponse response) throws IOException {
    Begun begun = begin(request, response);
    CompletableFuture<ProxyResponse> reply = flow.act(begun.act());
    RequestResources.of(request)
        .onEnd(() -> {
          var _ = reply.thenAccept(ProxyResponse::release);
        });
    @Nullable StreamingResponse stream = begun.stream();
    if (stream == null) {
      return reply;
    }
    var _ = reply.whenComplete(stream::end);
    return stream.writeTo(request, response) ? WRITTEN : reply;
  }

  /** What is left to do; {@code stream} takes a streamed response, or is null if none is wanted. */
  private record Begun(Act act, @Nullable StreamingResponse stream) {}

  /** Stores the request. The slot for a large request is free again before the agent is called. */
  private Begun begin(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Caller caller = RequestAuthentication.callerOf(request);
    UUID id = PlainRoute.id(request, "id");
    Sender sender = Sender.of(caller, request);
    CredentialRecheck recheck =
        new CredentialRecheck(credentials, credentials.presented(request), caller);
    byte[] body = bodies.read(request, MAX_BODY_BYTES);
    SendOptions options = SendOptions.read(request);
    LongConsumer memory = responses.of(request);
    return large.run(
        body.length,
        sender.owner(),
        () -> {
          JsonNode json = LosslessJson.parse(body);
          names.look(json, request, response);
          NormalizedRequest normal = NormalizedRequest.of(json, sender, UUID::randomUUID);
          @Nullable StreamingResponse stream =
              normal.wantsStream()
                  ? new StreamingResponse(recheck, normal.body().get("id"), pace)
                  : null;
          DeliveryTarget target = workspaces.rememberedTarget(id, caller);
          Message message =
              new Message(
                  sender,
                  recheck,
                  normal.rowFor(target, sender).sentWith(options.passedOn()),
                  normal.method(),
                  normal.body(),
                  normal.message(),
                  normal.responseForm(options.a2aVersion()),
                  Deadline.in(options.timeout().orElse(settings.totalBudget())),
                  options.waitLimit(),
                  stream,
                  memory,
                  delegations.find(sender.workspaceId(), id, normal.message()));
          return new Begun(flow.begin(message, target), stream);
        });
  }
}
