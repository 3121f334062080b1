package dev.muster.platform.text;

import static dev.muster.platform.text.SecretShape.after;
import static dev.muster.platform.text.SecretShape.prefixed;

import java.util.List;
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

  private SecretShapes() {}

  private static boolean looksLikeKey(String text) {
    return TokenEntropy.of(text).looksLikeKey();
  }

  private static boolean hasPemBody(String block) {
    return PEM_BODY.matcher(block).region(0, Math.min(block.length(), PEM_BODY_WITHIN)).find();
  }
}
