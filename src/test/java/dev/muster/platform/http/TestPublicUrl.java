package dev.muster.platform.http;

import dev.muster.platform.settings.SecuritySettings;

/** Makes the {@link PublicUrl} of settings, for tests of other packages. */
public final class TestPublicUrl {

  private TestPublicUrl() {}

  public static PublicUrl of(SecuritySettings settings) {
    return new PublicUrl(settings);
  }
}
