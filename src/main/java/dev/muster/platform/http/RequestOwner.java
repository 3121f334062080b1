package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Knows the {@link Owner} of a request, to whose share of each bound it counts. */
public final class RequestOwner {

  private static final String OWNER = RequestOwner.class.getName();

  private RequestOwner() {}

  /** Sets the owner that the request's valid credential has. */
  public static void set(HttpServletRequest request, Owner owner) {
    request.setAttribute(OWNER, owner);
  }

  /** Returns the owner; the remote network before, and without, authentication. */
  public static Owner of(HttpServletRequest request) {
    return request.getAttribute(OWNER) instanceof Owner owner ? owner : networkOf(request);
  }

  /** Returns the remote network, for what counts there in spite of a credential. */
  public static Owner networkOf(HttpServletRequest request) {
    return new Owner.OfNetwork(RemoteNetwork.of(request.getRemoteAddr()));
  }

  /** Returns the owner of the request that this thread serves; the server without one. */
  public static Owner current() {
    return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current
        ? of(current.getRequest())
        : Owner.SERVER;
  }
}
