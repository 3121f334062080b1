package dev.muster.platform.work;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets the server run at the real pace. */
@Configuration(proxyBeanMethods = false)
class PaceConfiguration {

  @Bean
  Pace pace() {
    return Pace.REAL;
  }
}
