package dev.muster;

import org.junit.jupiter.api.Test;
import org.springframework.modulith.core.ApplicationModules;

/** The graph of the modules is what their package-info files say. */
class ModulesTest {

  @Test
  void keepsToItsWrittenDependencies() {
    ApplicationModules.of(MusterApplication.class).verify();
  }
}
