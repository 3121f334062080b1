/** The infrastructure of all modules: settings, database, HTTP conventions, JSON, group commit. */
@ApplicationModule(
    type = ApplicationModule.Type.OPEN,
    allowedDependencies = {"protocol"})
@NullMarked
package dev.muster.platform;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
