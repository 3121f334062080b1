package dev.muster.platform.text;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kind of secret that is recognised by its shape: the group {@code secret} of a pattern, if it
 * passes a test.
 *
 * <p>Every pattern is linear on any text: runs are possessive, and what a match cannot take in is
 * bounded. A new one needs its worst case in the tests.
 */
record SecretShape(Pattern pattern, Predicate<String> test) {
  /** Not in the middle of a word; percent and backslash escapes end one. */
  private static final String START = "(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\\\[nrt]))";

  private static final String PREFIXED =
      """
      (?<![A-Za-z0-9])(?<secret>
        sk-(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{16,}+   # OpenAI, Anthropic and their like
      | [sr]k_(?:live|test)_[A-Za-z0-9]{10,}+             # Stripe
      | whsec_[A-Za-z0-9+/]{16,}+
      | gh[opsur]_[A-Za-z0-9]{20,}+ | github_pat_[A-Za-z0-9_]{20,}+
      | gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]
      | xox[abeoprs]-[A-Za-z0-9-]{8,}+ | xapp-[0-9]-[A-Za-z0-9-]{8,}+
      | (?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])
      | AIza[0-9A-Za-z_-]{35} | ya29\\.[0-9A-Za-z_-]{16,}+ | GOCSPX-[0-9A-Za-z_-]{16,}+
      | (?:npm|hf|gsk|r8)_[A-Za-z0-9]{20,}+ | (?:xai|pplx)-[A-Za-z0-9]{20,}+
      | tvly-[A-Za-z0-9-]{16,}+ | lsv2_[ps][tk]_[A-Za-z0-9_]{20,}+
      | hvs\\.[A-Za-z0-9_-]{20,}+ | pypi-[A-Za-z0-9_-]{40,}+ | dckr_pat_[A-Za-z0-9_-]{16,}+
      | SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,}+
      )\
      """;

  /** A key block; one that was cut off before its end is taken whole. */
  private static final String PEM =
      "(?<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
          + "(?=[\\s\\S]{0,200}?[A-Za-z0-9+/]{20})"
          + "[^-]*+(?:-(?!----)[^-]*+){0,8}+(?:-----END [A-Z0-9 ]{0,40}-----)?+)";

  /** JWS and JWE, whole or cut off after the second part. */
  private static final String JWT =
      START + "(?<secret>eyJ[A-Za-z0-9_-]{8,}+(?:\\.{1,2}[A-Za-z0-9_-]++){1,4}+)";

  private static final String SCHEME =
      "(?i)(?<![a-z0-9])(?:bearer|basic)(?:\\s|%20|\\+){1,4}(?<secret>[a-z0-9._~+/-]{12,}+={0,2})";

  /** 32 bytes end in a character whose last two bits are 0 (R1.1). */
  private static final String OWN_TOKEN =
      START + "(?<secret>[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])(?![A-Za-z0-9_-])";

  /** {@code user:password} before the last {@code @}, or a key in the place of the user. */
  private static final String USER_INFO =
      "(?<=://)(?<secret>[^\\s/?#\"'<>\\\\@:]{0,256}:[^\\s/?#\"'<>\\\\]{1,256}"
          + "|[A-Za-z0-9_.~%-]{16,256}(?=:?@))@";

  static final SecretShape URL_CREDENTIALS =
      of(USER_INFO, text -> text.indexOf(':') >= 0 || Randomness.of(text).looksLikeKey());

  static List<SecretShape> all() {
    return List.of(
        of(PEM, _ -> true),
        of(JWT, _ -> true),
        of("(?x)" + PREFIXED, _ -> true),
        of(OWN_TOKEN, text -> Randomness.of(text).looksLikeOwnToken()),
        of(SCHEME, text -> Randomness.of(text).looksLikeKey()));
  }

  private static SecretShape of(String regex, Predicate<String> test) {
    return new SecretShape(Pattern.compile(regex), test);
  }

  /** The text with its secrets of this kind replaced; the same instance when it has none. */
  String redact(String text) {
    Matcher matcher = pattern.matcher(text);
    StringBuilder out = new StringBuilder();
    int copied = 0;
    while (matcher.find()) {
      if (test.test(matcher.group("secret"))) {
        out.append(text, copied, matcher.start("secret")).append(Redaction.MARK);
        copied = matcher.end("secret");
      }
    }
    return copied == 0 ? text : out.append(text, copied, text.length()).toString();
  }
}
