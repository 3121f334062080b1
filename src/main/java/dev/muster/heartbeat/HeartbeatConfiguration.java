package dev.muster.heartbeat;

import dev.muster.identity.RequestAuthentication;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.http.ProblemWriter;
import dev.muster.workspace.Workspaces;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class HeartbeatConfiguration {

  @Bean
  StatusRules statusRules(ErrorRateThresholds thresholds) {
    return new StatusRules(thresholds);
  }

  @Bean
  ServletRegistrationBean<HeartbeatServlet> heartbeatServlet(
      RequestAuthentication authentication,
      BodyReader bodies,
      NameWarnings names,
      Workspaces workspaces,
      Heartbeats heartbeats,
      HeartbeatResponses answers,
      ProblemWriter problems) {
    HeartbeatServlet servlet =
        new HeartbeatServlet(
            authentication, bodies, names, workspaces, heartbeats, answers, problems);
    return new ServletRegistrationBean<>(servlet, HeartbeatServlet.PATH);
  }
}
