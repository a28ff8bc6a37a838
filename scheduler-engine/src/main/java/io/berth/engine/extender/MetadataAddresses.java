package io.berth.engine.extender;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The addresses at which clouds give a node's credentials, or its configuration, to every process
 * that asks: all link-local addresses, and those of metadata services elsewhere. An IPv4 address
 * counts in each form in which an IPv6 address can contain it.
 */
public final class MetadataAddresses {
  private static final int IPV4 = 4;
  private static final int IPV6 = 16;

  private static final List<Range> IPV4_RANGES =
      List.of(
          new Range(
              "a9fe", 16), // 169.254.0.0/16: AWS, Azure, Google, Oracle, OpenStack, and others
          new Range("a83f8110", 32), // 168.63.129.16: Azure
          new Range("646464c8", 32), // 100.100.100.200: Alibaba
          new Range("c00000c0", 32)); // 192.0.0.192: Oracle

  private static final List<Range> IPV6_RANGES =
      List.of(
          new Range("fe80", 10), // link-local
          new Range("fd000ec2", 32), // fd00:ec2::254: AWS
          new Range("fd2000ce", 32), // fd20:ce::254: Google
          new Range("fd0000c1", 32), // fd00:c1::a9fe:a9fe: Oracle
          new Range("fd000042", 32), // fd00:42::42: Scaleway
          new Range("fd00a9fea9fe", 48)); // fd00:a9fe:a9fe::1: Linode

  /** IPv6 prefixes whose addresses contain an IPv4 address, and the positions of its bytes. */
  private static final List<Embedding> EMBEDDINGS =
      List.of(
          new Embedding(new Range("00000000000000000000ffff", 96), 12, 13, 14, 15), // mapped
          new Embedding(new Range("000000000000000000000000", 96), 12, 13, 14, 15), // compatible
          new Embedding(new Range("0000000000000000ffff0000", 96), 12, 13, 14, 15), // translated
          new Embedding(new Range("0064ff9b0000000000000000", 96), 12, 13, 14, 15), // NAT64
          // NAT64 within a site (RFC 8215), with prefixes of each length that RFC 6052 allows there
          new Embedding(new Range("0064ff9b0001", 48), 6, 7, 9, 10),
          new Embedding(new Range("0064ff9b0001", 48), 7, 9, 10, 11),
          new Embedding(new Range("0064ff9b0001", 48), 9, 10, 11, 12),
          new Embedding(new Range("0064ff9b0001", 48), 12, 13, 14, 15),
          new Embedding(new Range("2002", 16), 2, 3, 4, 5)); // 6to4

  private static final Pattern DOTTED =
      Pattern.compile("[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}");
  private static final Pattern GROUP = Pattern.compile("[0-9a-fA-F]{1,4}");

  private MetadataAddresses() {}

  /** The addresses that begin with a number of bits. */
  private record Range(String hex, int bits) {
    boolean contains(byte[] address) {
      byte[] prefix = HexFormat.of().parseHex(hex);
      int whole = bits / Byte.SIZE;
      int mask = 0xff << (Byte.SIZE - bits % Byte.SIZE);
      return Arrays.equals(prefix, 0, whole, address, 0, whole)
          && (bits % Byte.SIZE == 0 || ((prefix[whole] ^ address[whole]) & mask) == 0);
    }
  }

  /** An IPv6 prefix, and where the bytes of an IPv4 address are behind it. */
  private record Embedding(Range prefix, int first, int second, int third, int fourth) {
    byte[] inside(byte[] address) {
      return new byte[] {address[first], address[second], address[third], address[fourth]};
    }
  }

  /**
   * Returns whether an address is one of them.
   *
   * @param address the 4 bytes of an IPv4 address, or the 16 bytes of an IPv6 address
   */
  public static boolean contain(byte[] address) {
    return switch (address.length) {
      case IPV4 -> IPV4_RANGES.stream().anyMatch(each -> each.contains(address));
      case IPV6 ->
          IPV6_RANGES.stream().anyMatch(each -> each.contains(address))
              || EMBEDDINGS.stream()
                  .filter(each -> each.prefix().contains(address))
                  .anyMatch(each -> contain(each.inside(address)));
      default -> throw new IllegalArgumentException("an IP address has 4 or 16 bytes");
    };
  }

  /**
   * Returns whether the host of a URL is the text of such an address. Names, and other notations of
   * addresses, are known only once they are resolved.
   */
  public static boolean containText(String host) {
    return bytes(host).filter(MetadataAddresses::contain).isPresent();
  }

  private static Optional<byte[]> bytes(String host) {
    return host.startsWith("[") && host.endsWith("]")
        ? ipv6(host.substring(1, host.length() - 1))
        : ipv4(host);
  }

  private static Optional<byte[]> ipv4(String text) {
    if (!DOTTED.matcher(text).matches()) {
      return Optional.empty();
    }
    String[] parts = text.split("\\.", -1);
    byte[] address = new byte[IPV4];
    for (int i = 0; i < IPV4; i++) {
      address[i] = (byte) Integer.parseInt(parts[i]);
    }
    return Optional.of(address);
  }

  private static Optional<byte[]> ipv6(String text) {
    int gap = text.indexOf("::");
    List<Byte> front = new ArrayList<>();
    List<Byte> back = new ArrayList<>();
    boolean valid =
        gap < 0
            ? groups(text, front)
            : groups(text.substring(0, gap), front) && groups(text.substring(gap + 2), back);
    int given = front.size() + back.size();
    if (!valid || given > IPV6 || (gap < 0 && given < IPV6)) {
      return Optional.empty();
    }
    byte[] address = new byte[IPV6];
    for (int i = 0; i < front.size(); i++) {
      address[i] = front.get(i);
    }
    for (int i = 0; i < back.size(); i++) {
      address[IPV6 - back.size() + i] = back.get(i);
    }
    return Optional.of(address);
  }

  private static boolean groups(String text, List<Byte> into) {
    if (text.isEmpty()) {
      return true;
    }
    for (String group : text.split(":", -1)) {
      Optional<byte[]> dotted = ipv4(group);
      if (dotted.isPresent()) {
        for (byte each : dotted.get()) {
          into.add(each);
        }
      } else if (GROUP.matcher(group).matches()) {
        int value = Integer.parseInt(group, 16);
        into.add((byte) (value >> Byte.SIZE));
        into.add((byte) value);
      } else {
        return false;
      }
    }
    return true;
  }
}
