package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Serves Swagger UI with an initializer that names this server's description. */
@Configuration(proxyBeanMethods = false)
class SwaggerUiConfiguration implements WebMvcConfigurer {

  private static final String OWN_FILES = "classpath:/swagger-ui/";

  /** Finds the library's folder, which is named after its version. */
  private static final String LIBRARY =
      "classpath*:/META-INF/resources/webjars/swagger-ui/*/swagger-ui.css";

  /** The library sets styles of elements, and draws its icons from data urls. */
  private static final String POLICY =
      "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; connect-src"
          + " 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry
        .addInterceptor(
            new HandlerInterceptor() {
              @Override
              public boolean preHandle(
                  HttpServletRequest request, HttpServletResponse response, Object handler) {
                response.setHeader("Content-Security-Policy", POLICY);
                return true;
              }
            })
        .addPathPatterns("/swagger-ui/*");
  }

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
