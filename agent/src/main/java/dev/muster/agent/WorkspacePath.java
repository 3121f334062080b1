package dev.muster.agent;

import java.util.UUID;
import okhttp3.HttpUrl;

/** Builds the paths of one workspace on the server. */
record WorkspacePath(String workspaceId) {

  String to(String rest) {
    return "/workspaces/" + workspaceId + rest;
  }

  /** Encodes any text as one path segment. */
  static String segment(String text) {
    return unused().addPathSegment(text).build().encodedPath().substring(1);
  }

  /** Returns a builder with a placeholder host; callers use only its path or its query. */
  static HttpUrl.Builder unused() {
    return new HttpUrl.Builder().scheme("http").host("unused");
  }

  /** Returns the canonical form of a UUID that a person may have typed. */
  static String canonical(String what, String id) {
    try {
      return UUID.fromString(id.strip()).toString();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(what + ": \"" + id + "\" (expected: a UUID)", e);
    }
  }
}
