package io.berth.sandbox.auth;

/**
 * A kind of API request that a client has made.
 *
 * @param user the user name
 * @param agent the User-Agent up to its first space
 * @param verb the verb as RBAC names it
 * @param group the API group, empty for core
 * @param resource the resource with its subresource, for example {@code pods/binding}, or a
 *     non-resource path
 */
public record ApiUse(String user, String agent, String verb, String group, String resource) {}
