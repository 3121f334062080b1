package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Whose share of the server's resources a request takes: its workspace's or the admin's once the
 * credential is known, else that of the network it comes from.
 */
public final class RequestOwner {

  private static final String OWNER = RequestOwner.class.getName();

  private RequestOwner() {}

  /** {@code owner} is a value with {@code equals}. */
  public static void set(HttpServletRequest request, Object owner) {
    request.setAttribute(OWNER, owner);
  }

  public static Object of(HttpServletRequest request) {
    @Nullable Object owner = request.getAttribute(OWNER);
    return owner == null ? RemoteNetwork.of(request.getRemoteAddr()) : owner;
  }
}
