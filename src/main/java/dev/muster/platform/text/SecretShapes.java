package dev.muster.platform.text;

import dev.muster.platform.text.Redaction.RedactedRanges;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists the secrets that are recognised by their shape. */
final class SecretShapes {
  /**
   * PEM headers are shorter than this; a match without a body this near only mentions a key block.
   */
  private static final int PEM_BODY_WITHIN = 160;

  private static final Pattern PEM_BODY = Pattern.compile("[A-Za-z0-9+/]{20}");

  private static final String CREDENTIALS =
      "(?i)(?:\\s|%20|\\+){1,4}(?<secret>[a-z0-9._~+/-]{12,}+={0,2})";

  static final List<SecretShape> ALL =
      List.of(
          // A PEM key block; a block without an end line is redacted whole.
          prefixed(
                  "-----BEGIN ",
                  "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
                      + "[^-]*+(?:-(?!----)[^-]*+){0,8}+(?:-----END [A-Z0-9 ]{0,40}-----)?+")
              .onlyIf(SecretShapes::hasPemBody),
          // JWS and JWE, whole or cut off after the second part; without a dot the text may be
          // anything.
          prefixed("eyJ", "[A-Za-z0-9_-]{8,}+(?:\\.{1,2}[A-Za-z0-9_-]++){0,4}+")
              .onlyIf(text -> text.indexOf('.') >= 0),
          // user:password before the last @, or a key instead of the user.
          after(
                  "://",
                  "(?<secret>[^\\s/?#\"'<>\\\\@:]{0,256}:[^\\s/?#\"'<>\\\\]{1,256}"
                      + "|[A-Za-z0-9_.~%-]{16,256}(?=:?@))@")
              .onlyIf(text -> text.indexOf(':') >= 0 || looksLikeKey(text)),
          after("Bearer", CREDENTIALS).onlyWord().onlyIf(SecretShapes::looksLikeKey),
          after("bearer", CREDENTIALS).onlyWord().onlyIf(SecretShapes::looksLikeKey),
          after("BEARER", CREDENTIALS).onlyWord().onlyIf(SecretShapes::looksLikeKey),
          after("Basic", CREDENTIALS).onlyWord().onlyIf(SecretShapes::looksLikeKey),
          after("basic", CREDENTIALS).onlyWord().onlyIf(SecretShapes::looksLikeKey),
          // OpenAI, Anthropic and similar; the test excludes package names with this prefix.
          prefixed("sk-", "[A-Za-z0-9_-]{16,}+").onlyIf(SecretShapes::looksLikeKey),
          prefixed("sk_live_", "[A-Za-z0-9]{10,}+"),
          prefixed("sk_test_", "[A-Za-z0-9]{10,}+"),
          prefixed("rk_live_", "[A-Za-z0-9]{10,}+"),
          prefixed("whsec_", "[A-Za-z0-9+/]{16,}+"),
          prefixed("ghp_", "[A-Za-z0-9]{20,}+"),
          prefixed("gho_", "[A-Za-z0-9]{20,}+"),
          prefixed("ghu_", "[A-Za-z0-9]{20,}+"),
          prefixed("ghs_", "[A-Za-z0-9]{20,}+"),
          prefixed("ghr_", "[A-Za-z0-9]{20,}+"),
          prefixed("github_pat_", "[A-Za-z0-9_]{20,}+"),
          prefixed("gl", "(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{16,}+"),
          prefixed("xox", "[abeoprs]-[A-Za-z0-9-]{8,}+"),
          prefixed("xapp-", "[0-9]-[A-Za-z0-9-]{8,}+"),
          prefixed("AKIA", "[0-9A-Z]{16}(?![0-9A-Za-z])"),
          prefixed("ASIA", "[0-9A-Z]{16}(?![0-9A-Za-z])"),
          prefixed("AIza", "[0-9A-Za-z_-]{35}"),
          prefixed("ya29.", "[0-9A-Za-z_-]{16,}+"),
          prefixed("GOCSPX-", "[0-9A-Za-z_-]{16,}+"),
          prefixed("npm_", "[A-Za-z0-9]{20,}+"),
          prefixed("hf_", "[A-Za-z0-9]{20,}+"),
          prefixed("gsk_", "[A-Za-z0-9]{20,}+"),
          prefixed("r8_", "[A-Za-z0-9]{20,}+"),
          prefixed("xai-", "[A-Za-z0-9]{20,}+"),
          prefixed("pplx-", "[A-Za-z0-9]{20,}+"),
          prefixed("tvly-", "[A-Za-z0-9-]{16,}+"),
          prefixed("lsv2_", "[ps][tk]_[A-Za-z0-9_]{20,}+"),
          prefixed("hvs.", "[A-Za-z0-9_-]{20,}+"),
          prefixed("pypi-", "[A-Za-z0-9_-]{40,}+"),
          prefixed("dckr_pat_", "[A-Za-z0-9_-]{16,}+"),
          prefixed("SG.", "[A-Za-z0-9_-]{16,64}+\\.[A-Za-z0-9_-]{16,}+"));

  /**
   * Redacts one kind of secret, recognised by its shape.
   *
   * <p>The secret is the group {@code secret} of the pattern, if it passes the test.
   *
   * <p>A pattern must be linear on any text: its runs are possessive, and the text it reads before
   * it fails is bounded. Matched text is not scanned again, whether or not it passes the test.
   *
   * @param start the characters that every match begins with; searching for them is cheap
   * @param word whether {@code start} must begin a word
   */
  record SecretShape(String start, boolean word, Pattern pattern, Predicate<String> test) {

    SecretShape onlyWord() {
      return new SecretShape(start, true, pattern, test);
    }

    SecretShape onlyIf(Predicate<String> newTest) {
      return new SecretShape(start, word, pattern, newTest);
    }

    /** Returns the text with its secrets of this kind replaced; the same instance without any. */
    String redact(String text) {
      int at = text.indexOf(start);
      if (at < 0) {
        return text;
      }
      RedactedRanges ranges = new RedactedRanges(text);
      Matcher matcher = pattern.matcher(text);
      while (at >= 0) {
        int next = at + 1;
        boolean begins = !word || Escape.startsWord(text, at);
        if (begins && matcher.region(at, text.length()).lookingAt()) {
          next = matcher.end();
          if (test.test(matcher.group("secret"))) {
            ranges.add(matcher.start("secret"), matcher.end("secret"));
          }
        }
        at = text.indexOf(start, next);
      }
      return ranges.applied();
    }
  }

  private SecretShapes() {}

  /** Returns the text with these secrets replaced; the same instance when there are none. */
  static String redact(String text) {
    String result = text;
    for (SecretShape shape : ALL) {
      result = shape.redact(result);
    }
    return result;
  }

  /** Creates a shape whose secret follows these characters. */
  private static SecretShape after(String start, String regex) {
    Pattern pattern = Pattern.compile(Pattern.quote(start) + regex);
    return new SecretShape(start, false, pattern, _ -> true);
  }

  /** Creates a shape for keys that begin with this prefix. */
  private static SecretShape prefixed(String prefix, String rest) {
    Pattern pattern = Pattern.compile("(?<secret>" + Pattern.quote(prefix) + rest + ")");
    return new SecretShape(prefix, true, pattern, _ -> true);
  }

  private static boolean looksLikeKey(String text) {
    return TokenEntropy.of(text).looksLikeKey();
  }

  private static boolean hasPemBody(String block) {
    return PEM_BODY.matcher(block).region(0, Math.min(block.length(), PEM_BODY_WITHIN)).find();
  }
}
