package dev.muster.console.assets;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds all modules that the console's page imports at its start. So the browser loads them at
 * once, not level by level.
 */
final class ModuleGraph {

  /** The names of Lit's modules and their files; the build contains exactly these. */
  private static final Map<String, String> LIBRARY =
      Map.of(
          "lit-html", "lib/lit-html/lit-html.js",
          "lit-html/directive.js", "lib/lit-html/directive.js",
          "lit-html/directive-helpers.js", "lib/lit-html/directive-helpers.js",
          "lit-html/directives/repeat.js", "lib/lit-html/directives/repeat.js",
          "lit-element", "lib/lit-element/lit-element.js",
          "@lit/reactive-element", "lib/reactive-element/reactive-element.js",
          "@lit/reactive-element/css-tag.js", "lib/reactive-element/css-tag.js");

  /** Matches static imports and re-exports, but not {@code import()}, which loads later. */
  private static final Pattern IMPORT =
      Pattern.compile("\\b(?:import|export)\\b(?:[^'\"();]*?\\bfrom)?\\s*['\"]([^'\"]+)['\"]");

  /** Each import begins with one; to try the pattern at every character is slow. */
  private static final List<String> KEYWORDS = List.of("import", "export");

  private final Map<String, byte[]> sources;
  private final String prefix;

  /**
   * Creates the graph.
   *
   * @param sources the console's files by their paths
   * @param prefix the start of the files' urls, with a slash at its end
   */
  ModuleGraph(Map<String, byte[]> sources, String prefix) {
    this.sources = sources;
    this.prefix = prefix;
  }

  /** Returns the JSON of the page's import map. */
  String importMap() {
    Map<String, String> urls = new TreeMap<>();
    LIBRARY.forEach((name, path) -> urls.put(name, prefix + path));
    return JsonMapper.shared().writeValueAsString(Map.of("imports", urls));
  }

  /**
   * Returns one {@code modulepreload} element for each of these modules, and for each that they
   * import statically.
   */
  String preloads(String... first) {
    Set<String> found = new LinkedHashSet<>();
    for (String path : first) {
      collect(path, found);
    }
    return found.stream()
        .map(path -> "<link rel=\"modulepreload\" href=\"" + prefix + path + "\">")
        .collect(Collectors.joining("\n    "));
  }

  private void collect(String path, Set<String> found) {
    byte @Nullable [] source = sources.get(path);
    if (source == null || !found.add(path)) {
      return;
    }
    String text = new String(source, StandardCharsets.UTF_8);
    Matcher imports = IMPORT.matcher(text).useTransparentBounds(true);
    for (String keyword : KEYWORDS) {
      for (int at = text.indexOf(keyword); at >= 0; at = text.indexOf(keyword, at + 1)) {
        if (imports.region(at, text.length()).lookingAt()) {
          collect(resolve(path, imports.group(1)), found);
        }
      }
    }
  }

  private static String resolve(String from, String name) {
    return name.startsWith(".")
        ? URI.create(from).resolve(name).toString()
        : LIBRARY.getOrDefault(name, name);
  }
}
