package dev.muster.protocol;

import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;

/** Says what is wrong with a text that is no JSON, without the names of the parser's settings. */
public final class InvalidJson {

  /** Advice to the program that uses the parser, at the end of a message. */
  private static final Pattern ADVICE =
      Pattern.compile(": enable `[^`]*` to allow| \\(not recognized as one since Feature [^)]*\\)");

  private static final Pattern NAMES = Pattern.compile(", from `[^`]*`| \\([^()]*\\[Source: .*");

  private static final Pattern TRAILING = Pattern.compile("Trailing token .*");

  private InvalidJson() {}

  public static String reason(JacksonException e) {
    String said = TRAILING.matcher(e.getOriginalMessage()).replaceFirst("it goes on after its end");
    return NAMES
        .matcher(ADVICE.matcher(said).replaceFirst(" (expected: JSON as RFC 8259 defines it)"))
        .replaceAll("");
  }
}
