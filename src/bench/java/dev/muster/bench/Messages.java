package dev.muster.bench;

import java.util.UUID;

/** Messages to agents, each with a new id. */
final class Messages {

  private Messages() {}

  static String fresh() {
    return """
    {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"%s",\
    "parts":[{"kind":"text","text":"please have a look at the change, and say what is missing in it"}]}}}\
    """
        .formatted(UUID.randomUUID());
  }

  static String path(String workspaceId) {
    return "/workspaces/" + workspaceId + "/a2a";
  }

  /**
   * A complete request.
   *
   * @param target the id of the workspace, and the token of a caller
   * @param headers complete lines
   */
  static String toWorkspace(String[] target, String headers) {
    String body = fresh();
    return "POST "
        + path(target[0])
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
        + target[1]
        + "\r\n"
        + headers
        + "Content-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }
}
