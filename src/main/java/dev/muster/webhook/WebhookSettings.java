package dev.muster.webhook;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import dev.muster.platform.settings.SettingChecks;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.Decision;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** The checked settings of the webhook; bad ones refuse the start. */
@Component
class WebhookSettings {

  /** The kind of a notification, a word of {@code WEBHOOK_KINDS} and of its member {@code kind}. */
  enum Kind {
    DEGRADED,
    OFFLINE,
    STUCK,
    RECOVERED;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Checks the settings {@code WEBHOOK_*}. */
  static final class Checks implements SettingChecks {

    @Override
    public List<Supplier<?>> parsers(SecuritySettings texts, Environment environment) {
      return List.of(
          () -> url(texts, AgentUrlGuard.of(texts, DatabaseMode.of(environment))),
          () -> secret(texts),
          () -> kinds(texts));
    }
  }

  private static final int MIN_SECRET = 16;

  private final Optional<HttpUrl> url;
  private final Optional<String> secret;
  private final Set<Kind> kinds;

  WebhookSettings(SecuritySettings settings, AgentUrlGuard guard) {
    this.url = url(settings, guard);
    this.secret = secret(settings);
    this.kinds = kinds(settings);
  }

  private static Optional<HttpUrl> url(SecuritySettings settings, AgentUrlGuard guard) {
    return Optional.ofNullable(settings.webhook().url())
        .map(text -> Setting.WEBHOOK_URL.parse(() -> url(text, guard)));
  }

  private static Optional<String> secret(SecuritySettings settings) {
    return Optional.ofNullable(settings.webhook().secret())
        .map(text -> Setting.WEBHOOK_SECRET.parse(() -> secret(text)));
  }

  private static Set<Kind> kinds(SecuritySettings settings) {
    return Setting.WEBHOOK_KINDS.parse(() -> kinds(settings.webhook().kinds()));
  }

  /** Where notifications are sent; empty when the webhook is off. Its path may be a secret. */
  Optional<HttpUrl> url() {
    return url;
  }

  /** The key of the signature. */
  Optional<String> secret() {
    return secret;
  }

  boolean reports(Kind kind) {
    return kinds.contains(kind);
  }

  /** The statuses of the troubles that are reported. */
  List<String> reportedStatuses() {
    return Cause.TROUBLES.stream().filter(one -> reports(one.kind())).map(Cause::status).toList();
  }

  private static HttpUrl url(String text, AgentUrlGuard guard) {
    if (guard.checkForm(text) instanceof Decision.Refused(String label, String reason)) {
      throw new IllegalArgumentException(reason + " (" + label + ")");
    }
    @Nullable HttpUrl url = HttpUrl.parse(text);
    if (url == null) {
      throw new IllegalArgumentException("expected an http or https url");
    }
    return url;
  }

  private static String secret(String text) {
    if (text.length() < MIN_SECRET) {
      throw new IllegalArgumentException("expected at least " + MIN_SECRET + " characters");
    }
    return text;
  }

  private static Set<Kind> kinds(List<String> given) {
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    for (String word : given) {
      kinds.add(
          Stream.of(Kind.values())
              .filter(kind -> kind.wire().equals(word.strip()))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("expected some of " + all())));
    }
    return kinds.isEmpty() ? EnumSet.allOf(Kind.class) : Collections.unmodifiableSet(kinds);
  }

  private static String all() {
    return Stream.of(Kind.values()).map(Kind::wire).collect(Collectors.joining(", "));
  }
}
