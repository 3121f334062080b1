package dev.muster.agent;

import java.util.UUID;
import okhttp3.HttpUrl;

/** Where the platform has what belongs to one workspace. */
record WorkspacePath(String workspaceId) {

  String to(String rest) {
    return "/workspaces/" + workspaceId + rest;
  }

  /** Of a path, whatever characters the text has. */
  static String segment(String text) {
    return unused().addPathSegment(text).build().encodedPath().substring(1);
  }

  /** Only its query is of use. */
  static HttpUrl.Builder unused() {
    return new HttpUrl.Builder().scheme("http").host("unused");
  }

  /** The usual form of an id that people may have typed. */
  static String canonical(String what, String id) {
    try {
      return UUID.fromString(id.strip()).toString();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(what + ": \"" + id + "\" (expected: a UUID)", e);
    }
  }
}
