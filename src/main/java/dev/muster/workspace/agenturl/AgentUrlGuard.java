package dev.muster.workspace.agenturl;

import dev.muster.platform.deadline.RequestDeadline;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which urls Muster will call on behalf of an agent: the one SSRF check (R3.3).
 *
 * <p>A url is checked when it is stored ({@link #check}), and again when it is dialled, since its
 * name may by then lead elsewhere: {@link #checkForm} for the url, and {@link #resolve} in place of
 * the HTTP client's own name lookup. Both are needed: clients do not look up a literal address. No
 * answer names an address; labels do.
 */
public final class AgentUrlGuard {
  private static final Object ANYBODY = "anybody";
  private static final Duration LOOKUP_LIMIT = Duration.ofSeconds(3);

  /** Whether a url may be called. */
  public sealed interface Verdict {
    /**
     * It may.
     *
     * @param uri the url as sent; its {@code getHost()} is null for a name with an underscore
     */
    record Allowed(URI uri) implements Verdict {}

    /**
     * It may not.
     *
     * @param label a stable word: an {@link AddressClass} label, or a fault of the url's form such
     *     as {@code user-info}, {@code ambiguous-host} or {@code unresolvable}
     * @param reason one clause for a person, without any part of the url or an address
     */
    record Refused(String label, String reason) implements Verdict {}
  }

  private final Set<AddressClass> allowed;
  private final TimeLimitedResolver resolver;

  /**
   * A guard with a resolver of one's own, which is given 3 s for an answer.
   *
   * @throws IllegalArgumentException when a class is to be allowed that never may be
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

  /** A guard that asks the operating system for addresses. */
  public static AgentUrlGuard withSystemResolver(Set<AddressClass> allowed) {
    return new AgentUrlGuard(allowed, HostResolver.SYSTEM);
  }

  /** As {@link #check(String, Object)}, for a caller that is one for all. */
  public Verdict check(String url) {
    return check(url, ANYBODY);
  }

  /**
   * Checks a url that is about to be stored: its form, and every address of its host.
   *
   * @param owner who has it looked up: a value with {@code equals}, which gets a share of the
   *     look-ups that may run at once
   */
  public Verdict check(String url, Object owner) {
    return switch (AgentUrl.parse(url)) {
      case AgentUrl.Parsed.Invalid(UrlProblem fault) -> fault.refused();
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentHost.Literal(InetAddress address))) ->
          judge(uri, List.of(address));
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentHost.Name(String name))) ->
          judge(uri, name, owner);
    };
  }

  /**
   * Checks a url without asking the resolver: its form, and its address if it is a literal one.
   *
   * <p>For a stored url that is about to be dialled; the settings may have changed since.
   */
  public Verdict checkForm(String url) {
    return switch (AgentUrl.parse(url)) {
      case AgentUrl.Parsed.Invalid(UrlProblem fault) -> fault.refused();
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentHost.Literal(InetAddress address))) ->
          judge(uri, List.of(address));
      case AgentUrl.Parsed.Valid(AgentUrl(URI uri, AgentHost.Name _)) -> new Verdict.Allowed(uri);
    };
  }

  /**
   * Looks a name up for dialling it: all its addresses, and none if one of them is forbidden.
   *
   * @throws AddressNotAllowedException when one is
   * @throws UnknownHostException when there are none, or none in time
   */
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    return resolve(host, ANYBODY);
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

  /** The class for which this address must not be dialled; empty when it may be. */
  public Optional<AddressClass> refusal(InetAddress address) {
    return AddressClass.of(address).filter(found -> !allowed.contains(found));
  }

  /** The first refusal among these addresses: one bad address spoils them all. */
  public Optional<AddressClass> refusal(List<InetAddress> addresses) {
    return addresses.stream().flatMap(address -> refusal(address).stream()).findFirst();
  }

  private Verdict judge(URI uri, String name, Object owner) {
    try {
      List<InetAddress> addresses =
          RequestDeadline.notCounting(() -> resolver.resolve(name, owner));
      return addresses.isEmpty() ? UrlProblem.UNRESOLVABLE.refused() : judge(uri, addresses);
    } catch (TimeLimitedResolver.TooManyException e) {
      return UrlProblem.TOO_MANY_LOOKUPS.refused();
    } catch (UnknownHostException e) {
      return UrlProblem.UNRESOLVABLE.refused();
    }
  }

  private Verdict judge(URI uri, List<InetAddress> addresses) {
    return refusal(addresses)
        .<Verdict>map(AgentUrlGuard::refused)
        .orElseGet(() -> new Verdict.Allowed(uri));
  }

  private static Verdict.Refused refused(AddressClass found) {
    String remedy = found.relaxable() ? " that AGENT_URL_ALLOW does not permit" : "";
    return new Verdict.Refused(
        found.label(), "the host leads to an address of the class " + found.label() + remedy);
  }
}
