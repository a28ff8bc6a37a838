package io.berth.webhook.error;

import io.berth.rules.LabelSyntax;

/** The names that Kubernetes objects may have: RFC 1123 subdomains. */
public final class ObjectNames {

  /** A description of valid names. */
  public static final String RULE =
      "names have up to 253 lowercase letters, digits, '-', and '.', and each part between dots"
          + " starts and ends with a letter or digit";

  private ObjectNames() {}

  /**
   * Returns whether an object can have this name. Invalid names are never sent to the API server:
   * in the path of a request, they could be interpreted as a subresource or a query.
   */
  public static boolean isValid(String name) {
    return LabelSyntax.ofSubdomain(name).isEmpty();
  }
}
