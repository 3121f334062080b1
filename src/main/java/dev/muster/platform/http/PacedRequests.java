package dev.muster.platform.http;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Counts each request for the pauses of its connection. One read can bring hundreds of small
 * requests.
 */
final class PacedRequests extends Handler.Wrapper {

  PacedRequests(Handler handler) {
    super(handler);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    PacedEndPoint.countRequest(request.getConnectionMetaData().getConnection().getEndPoint());
    return super.handle(request, response, callback);
  }
}
