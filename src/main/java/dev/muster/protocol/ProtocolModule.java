package dev.muster.protocol;

import org.springframework.modulith.ApplicationModule;
import org.springframework.modulith.PackageInfo;

/**
 * Declares the module to Spring Modulith. The package-info does not, because the agent library has
 * it too, and no Spring.
 */
@PackageInfo
@ApplicationModule(allowedDependencies = {})
final class ProtocolModule {}
