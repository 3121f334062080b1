package dev.muster.workspace;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Component;

/**
 * The address under which clients reach this server: {@code PUBLIC_URL}, else the request's own.
 */
@Component
public class PlatformUrl {

  private final WorkspaceSettings settings;

  PlatformUrl(WorkspaceSettings settings) {
    this.settings = settings;
  }

  public String of(HttpServletRequest request) {
    return settings
        .publicUrl()
        .orElseGet(() -> {
          String url = request.getRequestURL().toString();
          return url.substring(0, url.length() - request.getRequestURI().length());
        });
  }
}
