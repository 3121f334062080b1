package dev.muster.protocol;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** Reads documents of up to 64 MiB token by token, without a tree. */
public final class LargeJson {

  /** Accepts long texts, names and numbers, in any number; the nesting limit stays. */
  public static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          // A table of names would grow with the names that peers send.
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .build();

  private LargeJson() {}
}
