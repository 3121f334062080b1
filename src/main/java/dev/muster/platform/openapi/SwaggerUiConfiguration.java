package dev.muster.platform.openapi;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Serves Swagger UI with an initializer that names this server's description. */
@Configuration(proxyBeanMethods = false)
class SwaggerUiConfiguration implements WebMvcConfigurer {

  private static final String OWN_FILES = "classpath:/swagger-ui/";

  /** Finds the library's folder, which is named after its version. */
  private static final String LIBRARY =
      "classpath*:/META-INF/resources/webjars/swagger-ui/*/swagger-ui.css";

  @Override
  public void addResourceHandlers(ResourceHandlerRegistry registry) {
    registry
        .addResourceHandler("/swagger-ui/*")
        .addResourceLocations(OWN_FILES)
        .addResourceLocations(folderOfLibrary())
        .setCacheControl(CacheControl.noCache());
  }

  private static Resource folderOfLibrary() {
    try {
      Resource[] found = new PathMatchingResourcePatternResolver().getResources(LIBRARY);
      if (found.length != 1) {
        throw new IllegalStateException(found.length + " versions of Swagger UI (expected: 1)");
      }
      return found[0].createRelative("./");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
