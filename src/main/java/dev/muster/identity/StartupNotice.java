package dev.muster.identity;

import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.log.LogFormat;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Shows the server's address at every start of the embedded mode (R1.2), with the admin token and a
 * link into the console.
 */
@Component
class StartupNotice {

  private static final Logger log = LoggerFactory.getLogger(StartupNotice.class);
  private static final String OF_OPERATOR = "the value of ADMIN_TOKEN";

  private static final Duration LINK_TTL = Duration.ofMinutes(10);

  private final AdminToken token;
  private final Sessions sessions;
  private final ObjectProvider<MusterHome> home;
  private final Environment environment;

  StartupNotice(
      AdminToken token,
      Sessions sessions,
      ObjectProvider<MusterHome> home,
      Environment environment) {
    this.token = token;
    this.sessions = sessions;
    this.home = home;
    this.environment = environment;
  }

  /**
   * Prints to standard output, because a log would keep the token and the link. With {@code
   * LOG_FORMAT=json} it creates no link and logs only the path of the token's file.
   */
  @EventListener(ApplicationReadyEvent.class)
  void announce(ApplicationReadyEvent ready) {
    MusterHome embedded = home.getIfAvailable();
    if (embedded == null
        || !(ready.getApplicationContext() instanceof WebServerApplicationContext web)) {
      return;
    }
    String host = environment.getProperty("server.address", "127.0.0.1");
    String url = "http://" + host + ":" + Objects.requireNonNull(web.getWebServer()).getPort();
    if (LogFormat.isStructured(environment)) {
      log.info(
          "Muster is ready: {}; the admin token is {}; the data is in {}",
          url,
          token.shown().map(_ -> "in " + embedded.secretFile(AdminToken.FILE)).orElse(OF_OPERATOR),
          embedded.folder());
    } else {
      System.out.printf(
          "%nMuster is ready:  %s%nConsole:          %s (works once, within 10 minutes)%n"
              + "Admin token:      %s%nData:             %s%n%n",
          url,
          url + LinkController.SIGN_IN + link().text(),
          token.shown().map(Secret::text).orElse(OF_OPERATOR),
          embedded.folder());
    }
  }

  private Secret link() {
    return sessions.makeLink(Role.OPERATOR, "admin", token.hash(), LINK_TTL).code();
  }
}
