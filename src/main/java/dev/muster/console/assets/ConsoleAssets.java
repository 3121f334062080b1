package dev.muster.console.assets;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/**
 * Holds the console's files, read once at the start, plain and compressed.
 *
 * <p>The url of every file contains one hash of all files. So relative imports between modules need
 * no rewriting, and a browser may keep each file for ever.
 */
@Component
final class ConsoleAssets {

  /** A file in the forms in which it is sent. */
  @SuppressWarnings("ArrayRecordComponent") // not copied, never compared
  record Asset(MediaType type, byte[] plain, byte[] gzipped) {

    static Asset of(MediaType type, byte[] plain) {
      ByteArrayOutputStream compressed = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
        gzip.write(plain);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new Asset(type, plain, compressed.toByteArray());
    }
  }

  private static final String PAGE = "index.html";

  /** Imports all other style sheets; it is sent with these in their places. */
  private static final String STYLES = "styles/all.css";

  private static final Pattern STYLE_IMPORT = Pattern.compile("@import \"([a-z-]+\\.css)\";");

  private static final Map<String, MediaType> TYPES =
      Map.of(
          "js", MediaType.parseMediaType("text/javascript;charset=utf-8"),
          "css", MediaType.parseMediaType("text/css;charset=utf-8"),
          "svg", MediaType.parseMediaType("image/svg+xml"));

  private final Map<String, Asset> files = new TreeMap<>();
  private final String hash;
  private final Asset fleet;
  private final Asset page;
  private final String policy;

  ConsoleAssets() {
    NavigableMap<String, byte[]> sources = read();
    byte[] template = Objects.requireNonNull(sources.remove(PAGE));
    sources.compute(STYLES, (_, bytes) -> withImports(text(bytes), sources));
    sources.forEach((name, bytes) ->
        files.put(name, Asset.of(Objects.requireNonNull(TYPES.get(extension(name)), name), bytes)));
    this.hash = hash(sources, template);
    ModuleGraph modules = new ModuleGraph(sources, "/assets/" + hash + "/");
    String html =
        text(template)
            .replace("{{assets}}", "/assets/" + hash)
            .replace("{{import map}}", modules.importMap());
    this.fleet = page(html, modules.preloads("app.js", "pages/time-machine.js"));
    this.page = page(html, modules.preloads("app.js"));
    this.policy = policy(modules.importMap());
  }

  /** Returns the hash in the urls of all files. */
  String hash() {
    return hash;
  }

  /** Returns the page for the url of the fleet: it also preloads the modules of the fleet. */
  Asset fleet() {
    return fleet;
  }

  /** Returns the page for every other url of the console. */
  Asset page() {
    return page;
  }

  /** Returns the page's content security policy. */
  String policy() {
    return policy;
  }

  /** Returns a file by its path in the console's folder. */
  Optional<Asset> find(String path) {
    return Optional.ofNullable(files.get(path));
  }

  private static NavigableMap<String, byte[]> read() {
    NavigableMap<String, byte[]> sources = new TreeMap<>();
    var resolver = new PathMatchingResourcePatternResolver();
    try {
      String page = resolver.getResource("classpath:console/" + PAGE).getURL().toString();
      String root = page.substring(0, page.length() - PAGE.length());
      for (Resource file : resolver.getResources(root + "**/*.*")) {
        String name = file.getURL().toString().substring(root.length());
        if (name.equals(PAGE) || TYPES.containsKey(extension(name))) {
          try (InputStream in = file.getInputStream()) {
            sources.put(name, in.readAllBytes());
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sources;
  }

  private static Asset page(String html, String preloads) {
    return Asset.of(
        MediaType.parseMediaType("text/html;charset=utf-8"),
        html.replace("{{module preloads}}", preloads).getBytes(StandardCharsets.UTF_8));
  }

  /** Puts the style sheets that one imports into it, so that a browser asks for one in all. */
  private static byte[] withImports(String sheet, Map<String, byte[]> sources) {
    return STYLE_IMPORT
        .matcher(sheet)
        .replaceAll(
            found -> Matcher.quoteReplacement(text(sources.get("styles/" + found.group(1)))))
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte @Nullable [] bytes) {
    return new String(Objects.requireNonNull(bytes), StandardCharsets.UTF_8);
  }

  private static String extension(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static String hash(NavigableMap<String, byte[]> sources, byte[] template) {
    MessageDigest digest = sha256();
    digest.update(template);
    sources.forEach((name, bytes) -> {
      digest.update((name + "\n" + bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
      digest.update(bytes);
    });
    return HexFormat.of().formatHex(digest.digest(), 0, 10);
  }

  /**
   * The import map is the page's only inline script, so its hash is listed. Lit makes its templates
   * through the Trusted Types policy {@code lit-html}; no other text becomes markup or script.
   */
  private static String policy(String importMap) {
    byte[] digest = sha256().digest(importMap.getBytes(StandardCharsets.UTF_8));
    return "default-src 'none'; script-src 'self' 'sha256-%s'; style-src 'self'; img-src 'self' data:;"
            .formatted(Base64.getEncoder().encodeToString(digest))
        + " connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none';"
        + " require-trusted-types-for 'script'; trusted-types lit-html";
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
