package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the owner of a request, to whose share its resources count.
 *
 * <p>The owner is the workspace or the admin after authentication, otherwise the remote network.
 */
public final class RequestOwner {

  private static final String OWNER = RequestOwner.class.getName();

  private RequestOwner() {}

  /**
   * Sets the owner.
   *
   * @param owner a value with {@code equals}
   */
  public static void set(HttpServletRequest request, Object owner) {
    request.setAttribute(OWNER, owner);
  }

  public static Object of(HttpServletRequest request) {
    @Nullable Object owner = request.getAttribute(OWNER);
    return owner == null ? RemoteNetwork.of(request.getRemoteAddr()) : owner;
  }
}
