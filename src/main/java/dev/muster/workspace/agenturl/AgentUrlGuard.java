package dev.muster.workspace.agenturl;

import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which urls the server may call for an agent: the only SSRF check (R3.3).
 *
 * <p>{@link #check} checks a url before it is stored. It is checked again when it is dialled, since
 * its name may then lead to another address. {@link #checkForm} checks the url, and {@link
 * #resolve} replaces the HTTP client's name look-up. Both are needed, because clients do not look
 * up a literal address. Refusals name a label, never an address.
 */
public final class AgentUrlGuard {
  private static final Object ANY_OWNER = "any owner";
  private static final Duration LOOKUP_LIMIT = Duration.ofSeconds(3);

  /** The decision whether a url may be called. */
  public sealed interface Decision {
    /**
     * The url may be called.
     *
     * @param uri the url as sent; its {@code getHost()} is null for a name with an underscore
     */
    record Allowed(URI uri) implements Decision {}

    /**
     * The url must not be called.
     *
     * @param label a stable word: an {@link AddressClass} label, or a fault of the url's form such
     *     as {@code user-info}, {@code ambiguous-host} or {@code unresolvable}
     * @param reason one clause for a person, without any part of the url or an address
     */
    record Refused(String label, String reason) implements Decision {}
  }

  /** Resolves a host name to its addresses. */
  @FunctionalInterface
  public interface HostResolver {
    /** The operating system's resolver, which may block without limit. */
    HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

    /**
     * Returns all addresses of this name.
     *
     * @throws UnknownHostException when it has none
     */
    List<InetAddress> resolve(String host) throws UnknownHostException;
  }

  /**
   * Reports that a dialled name resolves to an address of a forbidden class (R3.3, R7.6).
   *
   * <p>It extends {@link UnknownHostException}, since an HTTP client's name look-up may throw no
   * other. The message holds the label, never the name or the address.
   */
  public static final class AddressNotAllowedException extends UnknownHostException {
    private static final long serialVersionUID = 1L;

    private final AddressClass addressClass;

    AddressNotAllowedException(AddressClass addressClass) {
      super("agent url not allowed: " + addressClass.label());
      this.addressClass = addressClass;
    }

    public AddressClass addressClass() {
      return addressClass;
    }
  }

  private final Set<AddressClass> allowed;
  private final TimeLimitedResolver resolver;

  /**
   * Creates a guard with the given resolver, which has 3 s for each look-up.
   *
   * @throws IllegalArgumentException when {@code allowed} has a class that may never be permitted
   */
  public AgentUrlGuard(Set<AddressClass> allowed, HostResolver resolver) {
    this(allowed, resolver, LOOKUP_LIMIT);
  }

  AgentUrlGuard(Set<AddressClass> allowed, HostResolver resolver, Duration lookupLimit) {
    for (AddressClass one : allowed) {
      if (!one.relaxable()) {
        throw new IllegalArgumentException("allowed: " + one.label() + " (never relaxed)");
      }
    }
    EnumSet<AddressClass> copy = EnumSet.noneOf(AddressClass.class);
    copy.addAll(allowed);
    this.allowed = Collections.unmodifiableSet(copy);
    this.resolver = new TimeLimitedResolver(resolver, lookupLimit);
  }

  /**
   * Creates the guard of {@code AGENT_URL_ALLOW}. The embedded mode allows more by default, because
   * it serves one person on loopback.
   *
   * @throws dev.muster.platform.settings.StartRefusedException if the setting is not usable
   */
  public static AgentUrlGuard of(SecuritySettings settings, DatabaseMode database) {
    @Nullable List<String> given = settings.agentUrl().allow();
    Set<AddressClass> byDefault = database.isEmbedded() ? Set.of(AddressClass.LOOPBACK) : Set.of();
    return withSystemResolver(
        given == null
            ? byDefault
            : Setting.AGENT_URL_ALLOW.parse(() -> AddressClass.parseAllowed(given)));
  }

  /** Creates a guard that uses the operating system's resolver. */
  public static AgentUrlGuard withSystemResolver(Set<AddressClass> allowed) {
    return new AgentUrlGuard(allowed, HostResolver.SYSTEM);
  }

  /** As {@link #check(String, Object)}, with one owner shared by all callers of this method. */
  public Decision check(String url) {
    return check(url, ANY_OWNER);
  }

  /**
   * Checks a url before it is stored: its form, and every address of its host.
   *
   * @param owner a value with {@code equals}; each owner has a share of the concurrent look-ups
   */
  public Decision check(String url, Object owner) {
    return switch (AgentUrl.parse(url)) {
      case AgentUrl.Parsed.Invalid(AgentUrl.Fault fault) -> fault.refused();
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentUrl.Host.Literal(InetAddress address))) ->
          judge(uri, List.of(address));
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentUrl.Host.Name(String name))) ->
          judge(uri, name, owner);
    };
  }

  /**
   * Checks a url without a name look-up: its form, and its address if that is literal.
   *
   * <p>For a stored url before it is dialled, because the settings may have changed since.
   */
  public Decision checkForm(String url) {
    return switch (AgentUrl.parse(url)) {
      case AgentUrl.Parsed.Invalid(AgentUrl.Fault fault) -> fault.refused();
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentUrl.Host.Literal(InetAddress address))) ->
          judge(uri, List.of(address));
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentUrl.Host.Name _)) ->
          new Decision.Allowed(uri);
    };
  }

  /**
   * Resolves a name before it is dialled. Returns all its addresses, or fails if one is forbidden.
   *
   * @throws AddressNotAllowedException when one address is forbidden
   * @throws UnknownHostException when there is no address, or none within the time limit
   */
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    return resolve(host, ANY_OWNER);
  }

  /** As {@link #resolve(String)}; {@code owner} is as in {@link #check(String, Object)}. */
  public List<InetAddress> resolve(String host, Object owner) throws UnknownHostException {
    List<InetAddress> addresses = resolver.resolve(host, owner);
    if (addresses.isEmpty()) {
      throw new UnknownHostException(host);
    }
    Optional<AddressClass> refusal = refusal(addresses);
    if (refusal.isPresent()) {
      throw new AddressNotAllowedException(refusal.get());
    }
    return addresses;
  }

  /** Returns the class that forbids this address; empty when it may be dialled. */
  public Optional<AddressClass> refusal(InetAddress address) {
    return AddressClass.of(address).filter(found -> !allowed.contains(found));
  }

  /** Returns the first refusal among the addresses; one forbidden address forbids them all. */
  public Optional<AddressClass> refusal(List<InetAddress> addresses) {
    return addresses.stream().flatMap(address -> refusal(address).stream()).findFirst();
  }

  private Decision judge(URI uri, String name, Object owner) {
    try {
      List<InetAddress> addresses =
          RequestDeadline.notCounting(() -> resolver.resolve(name, owner));
      return addresses.isEmpty() ? AgentUrl.Fault.UNRESOLVABLE.refused() : judge(uri, addresses);
    } catch (TimeLimitedResolver.TooManyException e) {
      return AgentUrl.Fault.TOO_MANY_LOOKUPS.refused();
    } catch (UnknownHostException e) {
      return AgentUrl.Fault.UNRESOLVABLE.refused();
    }
  }

  private Decision judge(URI uri, List<InetAddress> addresses) {
    return refusal(addresses)
        .<Decision>map(AgentUrlGuard::refused)
        .orElseGet(() -> new Decision.Allowed(uri));
  }

  private static Decision.Refused refused(AddressClass found) {
    String remedy = found.relaxable() ? " that AGENT_URL_ALLOW does not permit" : "";
    return new Decision.Refused(
        found.label(), "the host leads to an address of the class " + found.label() + remedy);
  }
}
