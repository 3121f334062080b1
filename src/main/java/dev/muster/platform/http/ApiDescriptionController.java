package dev.muster.platform.http;

import java.net.URI;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the API description and the settings of Swagger UI (docs/api.md, section 11). */
@RestController
class ApiDescriptionController {

  private static final MediaType YAML = MediaType.parseMediaType("application/vnd.oai.openapi");

  private static final Map<String, Object> PAGE =
      Map.of(
          "url",
          "/v3/api-docs",
          "displayRequestDuration",
          true,
          "tagsSorter",
          "alpha",
          // empty, so that the page sends the description to no validator
          "validatorUrl",
          "");

  @GetMapping("/v3/api-docs")
  ResponseEntity<byte[]> json() {
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(ApiDescription.json());
  }

  @GetMapping("/v3/api-docs.yaml")
  ResponseEntity<byte[]> yaml() {
    return ResponseEntity.ok().contentType(YAML).body(ApiDescription.yaml());
  }

  @GetMapping("/v3/api-docs/swagger-config")
  Map<String, Object> page() {
    return PAGE;
  }

  @GetMapping("/swagger-ui.html")
  ResponseEntity<Void> start() {
    return ResponseEntity.status(HttpStatus.FOUND)
        .location(URI.create("/swagger-ui/index.html"))
        .build();
  }
}
