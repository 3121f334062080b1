package dev.muster.activity;

import dev.muster.platform.json.RawJson;
import org.jspecify.annotations.Nullable;

/** The JSON documents of a row, each as it was sent. */
public record Bodies(
    @Nullable RawJson request, @Nullable RawJson response, @Nullable RawJson toolTrace) {

  static Bodies ofRequest(RawJson request) {
    return new Bodies(request, null, null);
  }

  static Bodies ofResponse(RawJson response) {
    return new Bodies(null, response, null);
  }
}
