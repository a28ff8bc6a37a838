package io.berth.crds.schema;

/** Patterns of names for schemas. */
public final class DnsName {

  /** A DNS-1123 subdomain: the name of a config, a policy or a binding. */
  public static final String SUBDOMAIN =
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

  private DnsName() {}
}
