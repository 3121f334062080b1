package dev.muster.platform.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.swagger.v3.core.util.Json31;
import io.swagger.v3.core.util.Yaml31;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.servers.Server;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.stereotype.Component;

/**
 * Puts our own words in place of what springdoc can tell from controllers, which is next to
 * nothing: they read bodies by hand. All files of {@code openapi/} make one description.
 */
@Component
final class ApiDescription implements OpenApiCustomizer {

  private static final String FILES = "classpath*:openapi/*.yaml";
  private static final List<String> METHODS = List.of("get", "post", "put", "patch", "delete");

  private final ObjectNode whole;

  ApiDescription() {
    try {
      ObjectNode read = Yaml31.mapper().createObjectNode();
      for (Resource file : new PathMatchingResourcePatternResolver().getResources(FILES)) {
        try (InputStream in = file.getInputStream()) {
          merge(read, (ObjectNode) Yaml31.mapper().readTree(in));
        }
      }
      for (JsonNode path : read.path("paths")) {
        METHODS.stream()
            .filter(path::has)
            .forEach(method -> SharedAnswers.addTo((ObjectNode) path.get(method)));
      }
      this.whole = read;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Objects are merged at every depth, so that files may add to each other's paths. */
  private static void merge(ObjectNode into, ObjectNode from) {
    for (var field : from.properties()) {
      JsonNode there = into.get(field.getKey());
      if (there instanceof ObjectNode object && field.getValue() instanceof ObjectNode more) {
        merge(object, more);
      } else {
        into.set(field.getKey(), field.getValue());
      }
    }
  }

  /** A route that we forgot keeps what springdoc says of it; a test looks for those. */
  @Override
  public void customise(OpenAPI found) {
    OpenAPI described = Json31.mapper().convertValue(whole, OpenAPI.class);
    found.setInfo(described.getInfo());
    found.setTags(described.getTags());
    found.setServers(List.of(new Server().url("/").description("This server")));
    found.setComponents(described.getComponents());
    described
        .getPaths()
        .forEach((path, operations) -> {
          PathItem item = found.getPaths().computeIfAbsent(path, missing -> new PathItem());
          operations.readOperationsMap().forEach(item::operation);
        });
  }
}
