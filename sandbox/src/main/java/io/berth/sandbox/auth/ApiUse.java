package io.berth.sandbox.auth;

/**
 * One thing that a client has done with the API.
 *
 * @param user who
 * @param agent the User-Agent, its part before the first space
 * @param verb as RBAC names it
 * @param group the API group, empty for core
 * @param resource with its subresource, for instance {@code pods/binding}; or a path
 */
public record ApiUse(String user, String agent, String verb, String group, String resource) {}
