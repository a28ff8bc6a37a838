package io.berth.webhook.binding;

/**
 * A SchedulingPolicy of the catalog, or a legacy policy that stands for one.
 *
 * @param revision its generation; empty for a legacy policy
 * @param created its creationTimestamp, in RFC 3339 and UTC as the API server writes it
 */
public record ServedPolicy(
    String name,
    String revision,
    boolean isDefault,
    String created,
    NamespaceRule allowedNamespaces) {}
