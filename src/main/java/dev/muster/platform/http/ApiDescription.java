package dev.muster.platform.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the OpenAPI 3.1 description from all files of {@code openapi/}.
 *
 * <p>{@link SharedResponses} adds what operations share. The description depends on the program
 * alone, whatever settings a server has and whatever host or language a request names. So each form
 * is built once in a JVM; as YAML, which takes the longest, only when a client asks for it.
 */
final class ApiDescription {

  private static final String FILES = "classpath*:openapi/*.yaml";
  private static final List<String> METHODS = List.of("get", "post", "put", "patch", "delete");
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final class AsJson {
    static final byte[] BYTES = JSON.writeValueAsBytes(whole());
  }

  private static final class AsYaml {
    static final byte[] BYTES =
        writer().dump(JSON.readValue(json(), Map.class)).getBytes(StandardCharsets.UTF_8);
  }

  private ApiDescription() {}

  /** Returns the shared array, which callers must not change; the same holds for {@link #yaml}. */
  static byte[] json() {
    return AsJson.BYTES;
  }

  static byte[] yaml() {
    return AsYaml.BYTES;
  }

  private static ObjectNode whole() {
    ObjectNode whole = JSON.createObjectNode();
    whole.put("openapi", "3.1.0");
    whole.putObject("info");
    whole.putArray("servers").addObject().put("url", "/").put("description", "This server");
    whole.putArray("tags");
    whole.putObject("paths");
    whole.putObject("components");
    try {
      for (Resource file : new PathMatchingResourcePatternResolver().getResources(FILES)) {
        try (InputStream in = file.getInputStream()) {
          merge(whole, JSON.valueToTree(parser().load(in)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (var path : whole.path("paths").properties()) {
      METHODS.stream()
          .filter(path.getValue()::has)
          .forEach(method ->
              SharedResponses.addTo(path.getKey(), (ObjectNode) path.getValue().path(method)));
    }
    return whole;
  }

  /** Merges objects at every depth, so that several files can add to one path. */
  private static void merge(ObjectNode into, ObjectNode from) {
    for (var field : from.properties()) {
      if (into.get(field.getKey()) instanceof ObjectNode object
          && field.getValue() instanceof ObjectNode more) {
        merge(object, more);
      } else {
        into.set(field.getKey(), field.getValue());
      }
    }
  }

  private static Yaml parser() {
    return new Yaml(new SafeConstructor(new LoaderOptions()));
  }

  private static Yaml writer() {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    return new Yaml(options);
  }
}
