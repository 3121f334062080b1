package dev.muster.testing;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.muster.MusterApplication;

/** The classes of the server, which are read once for all tests of their structure. */
public final class ServerClasses {

  public static final JavaClasses ALL =
      new ClassFileImporter()
          .importUrl(MusterApplication.class.getProtectionDomain().getCodeSource().getLocation());

  private ServerClasses() {}
}
