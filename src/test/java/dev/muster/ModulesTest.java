package dev.muster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.modulith.core.ApplicationModules;

/** The graph of the modules is what their package-info files say. */
@Execution(ExecutionMode.CONCURRENT)
class ModulesTest {

  @Test
  void keepsToItsWrittenDependencies() {
    ApplicationModules.of(MusterApplication.class).verify();
  }
}
