package dev.muster.identity;

import dev.muster.identity.SessionRepository.OpenLink;
import dev.muster.platform.http.PublicUrl;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Creates links that sign people in to the console, lists those that are open, and ends them. */
@RestController
class LinkController {

  /** The path before a link's code. The code is in the fragment, so no server or proxy logs it. */
  static final String SIGN_IN = "/ui/signin#start=";

  private static final int DEFAULT_TTL_SECONDS = 600;
  private static final int MAX_TTL_SECONDS = 86_400;

  record Link(String url, Instant expiresAt) {}

  record LinkList(List<OpenLink> links, int count) {}

  private final Sessions sessions;
  private final Credentials credentials;
  private final PublicUrl publicUrl;
  private final WholeReads reads;

  LinkController(
      Sessions sessions, Credentials credentials, PublicUrl publicUrl, WholeReads reads) {
    this.sessions = sessions;
    this.credentials = credentials;
    this.publicUrl = publicUrl;
    this.reads = reads;
  }

  /** Creates a link that signs one person in, once. */
  @PostMapping("/console/links")
  @ResponseStatus(HttpStatus.CREATED)
  Link make(
      Caller caller, JsonBody body, HttpServletRequest request, HttpServletResponse response) {
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    String name =
        SessionController.requireOneLine(
            body.requiredText("name", SessionController.MAX_NAME_LENGTH));
    Role role = Role.of(body.requiredText("role", SessionController.MAX_NAME_LENGTH));
    int ttl = body.integer("ttl_s", 1, MAX_TTL_SECONDS).orElse(DEFAULT_TTL_SECONDS);
    AccessChecks.requireAdmin(caller);
    if (role == Role.OPERATOR && !(caller instanceof Caller.Admin)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN, "operators' links are made with the admin token alone");
    }
    SecretHash maker = credentials.tokenBehind(credentials.presented(request));
    Sessions.Link made = sessions.makeLink(role, name, maker, Duration.ofSeconds(ttl));
    return new Link(publicUrl.of(request) + SIGN_IN + made.code().text(), made.expiresAt());
  }

  /** Lists the links that may still be used; their codes are not stored. */
  @GetMapping("/console/links")
  LinkList list(Caller caller, HttpServletRequest request) {
    AccessChecks.requireAdmin(caller);
    List<OpenLink> open = reads.run(RequestOwner.of(request), sessions::openLinks);
    return new LinkList(open, open.size());
  }

  @DeleteMapping("/console/links/{linkId}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void end(Caller caller, @PathVariable UUID linkId) {
    AccessChecks.requireAdmin(caller);
    if (!sessions.endLink(linkId)) {
      throw new ProblemException(ErrorCode.NOT_FOUND, "there is no open link " + linkId);
    }
  }
}
