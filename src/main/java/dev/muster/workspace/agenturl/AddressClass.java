package dev.muster.workspace.agenturl;

import dev.muster.workspace.agenturl.AddressClass.IpKey;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Classifies addresses that an agent url must not lead to (R3.3).
 *
 * <p>The classes follow the IANA special-purpose registries. The order matters: the first class
 * that contains an address names it. {@code AGENT_URL_ALLOW} may permit three classes, in which
 * operators do run agents. It never permits the others, above all those of cloud credential
 * services.
 */
public enum AddressClass {
  /**
   * Cloud credential services outside link-local. Some lie in networks that may be permitted
   * (Alibaba's in CGNAT; those of AWS, Google and Scaleway in ULA), one in public space (Azure).
   */
  METADATA(
      "metadata",
      "100.100.100.200/32",
      "168.63.129.16/32",
      "fd00:ec2::/32",
      "fd20:ce::254/128",
      "fd00:42::42/128"),
  /** Linux connects 0.0.0.0 and :: to the local machine. */
  UNSPECIFIED("unspecified", "0.0.0.0/8", "::/128"),
  LOOPBACK("loopback", "127.0.0.0/8", "::1/128"),
  /** Clouds run their metadata services here. */
  LINK_LOCAL("link-local", "169.254.0.0/16", "fe80::/10"),
  PRIVATE("private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
  /** RFC 6598; overlay networks and some Kubernetes pods use it too. */
  CGNAT("cgnat", "100.64.0.0/10"),
  MULTICAST("multicast", "224.0.0.0/4", "ff00::/8"),
  BROADCAST("broadcast", "255.255.255.255/32"),
  DOCUMENTATION(
      "documentation",
      "192.0.2.0/24",
      "198.51.100.0/24",
      "203.0.113.0/24",
      "2001:db8::/32",
      "3fff::/20"),
  BENCHMARK("benchmark", "198.18.0.0/15", "2001:2::/48"),
  /**
   * Teredo, 6to4, local NAT64, IPv4-compatible, IPv4-translated; by {@link #of} also ISATAP. A
   * relay extracts an IPv4 address from such an address. The class is refused as a whole, because
   * agents do not use it today.
   */
  TUNNEL(
      "tunnel",
      "2001::/32",
      "2002::/16",
      "64:ff9b:1::/48",
      "::/96",
      "::ffff:0:0:0/96",
      "192.88.99.0/24"),
  /**
   * Protocol assignments, deprecated site-local addresses, and space that IANA has not allocated.
   */
  RESERVED("reserved", "192.0.0.0/24", "240.0.0.0/4", "fec0::/10", "2001::/23");

  private static final Set<AddressClass> RELAXABLE =
      Collections.unmodifiableSet(EnumSet.of(LOOPBACK, PRIVATE, CGNAT));

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // made by toList() and never exposed
  private final List<AddressRange> ranges;

  AddressClass(String label, String... ranges) {
    this.label = label;
    this.ranges = Stream.of(ranges).map(AddressRange::parse).toList();
  }

  /** Returns the stable word for this class, used in responses and in {@code AGENT_URL_ALLOW}. */
  public String label() {
    return label;
  }

  /** Whether {@code AGENT_URL_ALLOW} may permit this class. */
  public boolean relaxable() {
    return RELAXABLE.contains(this);
  }

  /** Returns the class that forbids this address; empty when it is publicly routable. */
  public static Optional<AddressClass> of(InetAddress address) {
    IpKey key = IpKey.of(address);
    for (AddressClass candidate : values()) {
      if (candidate.ranges.stream().anyMatch(range -> range.contains(key))) {
        return Optional.of(candidate);
      }
    }
    if (!key.isAllocated()) {
      return Optional.of(RESERVED);
    }
    return key.isIsatap() ? Optional.of(TUNNEL) : Optional.empty();
  }

  /**
   * Parses {@code AGENT_URL_ALLOW}: labels in any case; blank ones are left out.
   *
   * @throws IllegalArgumentException for any other word; the message lists the allowed ones
   */
  public static Set<AddressClass> parseAllowed(Collection<String> words) {
    EnumSet<AddressClass> allowed = EnumSet.noneOf(AddressClass.class);
    for (String part : words) {
      String word = part.strip().toLowerCase(Locale.ROOT);
      if (!word.isEmpty()) {
        allowed.add(parseWord(word));
      }
    }
    return Collections.unmodifiableSet(allowed);
  }

  private static AddressClass parseWord(String word) {
    return RELAXABLE.stream()
        .filter(candidate -> candidate.label.equals(word))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException(word + " (expected: " + relaxableLabels() + ")"));
  }

  private static String relaxableLabels() {
    return RELAXABLE.stream().map(AddressClass::label).collect(Collectors.joining(", "));
  }

  /**
   * Holds an IP address as one 128-bit number, IPv4 in IPv4-mapped form (RFC 4291, 2.5.5.2).
   *
   * <p>So an IPv4 address has one key in all its forms: plain, mapped, or behind the well-known
   * NAT64 prefix (RFC 6052), which the network translates back to IPv4.
   */
  record IpKey(long high, long low) {
    private static final long MAPPED = 0x0000_ffffL << 32;
    private static final long NAT64_HIGH = 0x0064_ff9b_0000_0000L;
    private static final long V4_BITS = 0xffff_ffffL;

    static IpKey of(InetAddress address) {
      ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
      if (address instanceof Inet4Address) {
        return ofV4(bytes.getInt());
      }
      IpKey key = new IpKey(bytes.getLong(), bytes.getLong());
      boolean nat64 = key.high == NAT64_HIGH && key.low >>> 32 == 0;
      return nat64 ? ofV4((int) key.low) : key;
    }

    private static IpKey ofV4(int bits) {
      return new IpKey(0, MAPPED | (bits & V4_BITS));
    }

    boolean isV4() {
      return high == 0 && (low & ~V4_BITS) == MAPPED;
    }

    /**
     * Whether this is an ISATAP interface id (RFC 5214): {@code ::[2]00:5efe:a.b.c.d} in any /64.
     */
    boolean isIsatap() {
      return (low >>> 32 & ~0x0200_0000L) == 0x0000_5efeL;
    }

    /** Whether IANA allocates unicast addresses from here: all of IPv4, and 2000::/3 of IPv6. */
    boolean isAllocated() {
      return isV4() || high >>> 61 == 1;
    }
  }

  /**
   * Holds a block of addresses, IPv4 ({@code 10.0.0.0/8}) or IPv6.
   *
   * @param prefixBits of the 128-bit {@link IpKey}, from 1 to 128; an IPv4 prefix plus 96
   */
  private record AddressRange(IpKey first, int prefixBits) {

    AddressRange {
      if (prefixBits < 1 || prefixBits > 128) {
        throw new IllegalArgumentException("prefix bits: " + prefixBits + " (expected: 1..128)");
      }
    }

    static AddressRange parse(String cidr) {
      int slash = cidr.indexOf('/');
      IpKey first = IpKey.of(InetAddress.ofLiteral(cidr.substring(0, slash)));
      int bits = Integer.parseInt(cidr.substring(slash + 1));
      return new AddressRange(first, first.isV4() ? 96 + bits : bits);
    }

    boolean contains(IpKey address) {
      return ((address.high() ^ first.high()) & ones(Math.min(prefixBits, 64))) == 0
          && ((address.low() ^ first.low()) & ones(Math.max(prefixBits - 64, 0))) == 0;
    }

    private static long ones(int count) {
      return count == 0 ? 0 : -1L << (64 - count);
    }
  }
}
