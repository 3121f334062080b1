package dev.muster.workspace.agenturl;

/** Names what is wrong with an agent url besides its addresses (R3.3). */
enum UrlProblem {
  TOO_LONG("too-long", "the url is longer than 2048 characters"),
  BAD_CHARACTER(
      "bad-character",
      "the url holds a space, a control character, a backslash or a character outside ASCII"),
  BAD_SCHEME("bad-scheme", "the url does not start with http:// or https://"),
  NO_HOST("no-host", "the url names no host"),
  USER_INFO("user-info", "the url holds credentials"),
  FRAGMENT("fragment", "the url holds a fragment"),
  BAD_PORT("bad-port", "the port is not a number from 1 to 65535"),
  AMBIGUOUS_HOST(
      "ambiguous-host",
      "the host is neither a plain name, nor four decimal numbers, nor an IPv6 address in"
          + " brackets"),
  MALFORMED("malformed", "the url is not a valid URI"),
  UNRESOLVABLE("unresolvable", "the host's name cannot be resolved"),
  TOO_MANY_LOOKUPS(
      "unresolvable",
      "the host's name was not looked up, since too many look-ups are still without an answer; try"
          + " again later");

  private final String label;
  private final String reason;

  UrlProblem(String label, String reason) {
    this.label = label;
    this.reason = reason;
  }

  /**
   * Returns the refusal for this fault. Its text is fixed, so no part of the url enters a response.
   */
  AgentUrlGuard.Decision.Refused refused() {
    return new AgentUrlGuard.Decision.Refused(label, reason);
  }
}
