package dev.muster.platform.http;

import dev.muster.platform.log.LimitedLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.LinkedHashMap;
import org.eclipse.jetty.http.CookieCompliance;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.slf4j.event.Level;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Configures Jetty for many small requests and many held ones. */
@Component
final class JettyConfiguration implements WebServerFactoryCustomizer<JettyServletWebServerFactory> {

  private static final int ACCEPT_QUEUE = 4096;

  /**
   * Counts each request for the pauses of its connection. One read can bring hundreds of small
   * requests.
   */
  private static final class PacedRequests extends Handler.Wrapper {

    PacedRequests(Handler handler) {
      super(handler);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      PacedEndPoint.countRequest(request.getConnectionMetaData().getConnection().getEndPoint());
      return super.handle(request, response, callback);
    }
  }

  private final LimitedLog badHttp = new LimitedLog(JettyConfiguration.class);

  private final JsonMapper json;
  private final Counter pauses;

  JettyConfiguration(JsonMapper json, MeterRegistry metrics) {
    this.json = json;
    this.pauses =
        Counter.builder("muster.http.pauses")
            .description("Pauses of connections whose clients sent more before they were answered")
            .register(metrics);
  }

  @Override
  public void customize(JettyServletWebServerFactory factory) {
    factory.addServerCustomizers(this::fit);
  }

  private void fit(Server server) {
    server.setErrorHandler(this::answerBadHttp);
    server.setHandler(new PacedRequests(server.getHandler()));
    server.setConnectors(
        Arrays.stream(server.getConnectors())
            .map(connector -> connector instanceof ServerConnector it ? paced(it) : connector)
            .toArray(Connector[]::new));
  }

  private Connector paced(ServerConnector original) {
    PacedConnector listener =
        new PacedConnector(original, ConnectionLimits.forThisProcess(), pauses);
    listener.setAcceptQueueSize(ACCEPT_QUEUE);
    HttpConfiguration http =
        listener.getConnectionFactory(HttpConnectionFactory.class).getHttpConfiguration();
    http.setSendServerVersion(false);
    // the cache takes 70 KiB per connection, and each agent holds two connections
    http.setHeaderCacheSize(0);
    // the container looks for a session's cookie; one of another server may be any, and is no error
    http.setRequestCookieCompliance(CookieCompliance.RFC6265_LEGACY);
    // parameters come from the query only; a body is JSON, whatever its content type says (R0.1)
    http.setFormEncodedMethods();
    return listener;
  }

  /**
   * Writes a problem detail for a request that is not HTTP.
   *
   * <p>Examples are a bad request line and headers that are too large. The log has the number of
   * such requests and none of their content, which may hold a token. Jetty closes the connection
   * afterwards; a client that is not told would send its next request there.
   */
  private boolean answerBadHttp(Request request, Response response, Callback callback) {
    int status = response.getStatus() < 400 ? 500 : response.getStatus();
    if (status < 500) {
      badHttp.log(Level.INFO, "refused a request that is not HTTP");
    }
    RequestEnvelopeFilter.SECURITY_HEADERS.forEach(response.getHeaders()::put);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/problem+json");
    response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
    String id = RequestIdFilter.idOf(request.getHeaders().get(RequestIdFilter.HEADER));
    response.getHeaders().put(RequestIdFilter.HEADER, id);
    var body = new LinkedHashMap<>(ProblemMapper.ofStatus(HttpStatusCode.valueOf(status)).body(id));
    body.put("status", status);

    Content.Sink.write(response, true, json.writeValueAsString(body), callback);
    return true;
  }
}
